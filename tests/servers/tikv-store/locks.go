package main

import "sync"

// Locks knows which keys the transactions of this run have locked. The engine would look at every row of a region to find
// those of one transaction; a store has its locks apart from the rows.
type locks struct {
	mutex sync.Mutex
	keys  map[uint64]map[string]struct{}
	// Transactions before this version began in an earlier run, so theirs are not known.
	since uint64
}

func newLocks(since uint64) *locks {
	return &locks{keys: map[uint64]map[string]struct{}{}, since: since}
}

// Add notes keys that a transaction is about to lock.
func (l *locks) add(version uint64, keys [][]byte) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	of := l.keys[version]
	if of == nil {
		of = map[string]struct{}{}
		l.keys[version] = of
	}
	for _, key := range keys {
		of[string(key)] = struct{}{}
	}
}

// Remove notes keys that have no lock of the transaction any more.
func (l *locks) remove(version uint64, keys [][]byte) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	of := l.keys[version]
	for _, key := range keys {
		delete(of, string(key))
	}
	if len(of) == 0 {
		delete(l.keys, version)
	}
}

// Of lists the keys that a transaction may have locked, if they are known.
func (l *locks) of(version uint64) (keys [][]byte, known bool) {
	if version < l.since {
		return nil, false
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	for key := range l.keys[version] {
		keys = append(keys, []byte(key))
	}
	return keys, true
}
