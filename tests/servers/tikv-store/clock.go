package main

import (
	"errors"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	// The low bits of a timestamp count within a millisecond.
	logicalBits = 18
	// How far ahead of now the file allows timestamps, so that it is rarely written.
	reserveMillis = 3000
)

// A clock hands out timestamps that only grow, over restarts too: before one is handed out, a bound above it is in the
// file, and the next start goes on from there.
type clock struct {
	mutex   sync.Mutex
	file    string
	millis  int64
	count   int64
	allowed int64
}

func openClock(file string) (*clock, error) {
	c := &clock{file: file}
	if file == "" {
		return c, nil
	}
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err == nil {
		c.millis, err = strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	}
	return c, err
}

// Next takes n timestamps and returns the two parts of the last one.
func (c *clock) next(n int64) (millis, count int64, err error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if now := time.Now().UnixMilli(); now > c.millis {
		c.millis, c.count = now, 0
	}
	if c.count+n >= 1<<logicalBits {
		c.millis, c.count = c.millis+1, 0
	}
	c.count += n
	if c.file != "" && c.millis >= c.allowed {
		bound := c.millis + reserveMillis
		if err := replaceFile(c.file, strconv.FormatInt(bound, 10)); err != nil {
			return 0, 0, err
		}
		c.allowed = bound
	}
	return c.millis, c.count, nil
}

// Version takes one timestamp as the number that stores use.
func (c *clock) version() (uint64, error) {
	millis, count, err := c.next(1)
	return uint64(millis)<<logicalBits | uint64(count), err
}

func replaceFile(file, text string) error {
	next := file + ".next"
	if err := os.WriteFile(next, []byte(text), 0o644); err != nil {
		return err
	}
	return os.Rename(next, file)
}
