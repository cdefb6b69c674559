package main

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/pingcap/kvproto/pkg/metapb"
	"github.com/tikv/client-go/v2/testutils"
	pd "github.com/tikv/pd/client"
)

const (
	clusterID = 1
	// What a Raft election would take until another store leads the regions of one that is gone.
	electionTime = time.Second
	// Disturbing stops splitting at this many regions.
	disturbRegionsMax = 100
)

// A cluster is the engine with its map of stores and regions.
type cluster struct {
	client *testutils.MockClient
	layout *testutils.MockCluster
	pd     pd.Client
	stores []uint64

	mutex     sync.Mutex
	addresses map[uint64]string
	silent    map[uint64]bool
}

func openCluster(data string, s settings) (*cluster, error) {
	client, layout, pdClient, err := testutils.NewMockTiKV(data, nil)
	if err != nil {
		return nil, err
	}
	c := &cluster{client: client, layout: layout, pd: pdClient, addresses: map[uint64]string{}, silent: map[uint64]bool{}}
	c.stores, _, _, _ = testutils.BootstrapWithMultiStores(layout, s.stores)
	for i, id := range c.stores {
		c.addresses[id] = fmt.Sprintf("%s:%d", s.host, s.storePort+i)
		layout.UpdateStoreAddr(id, c.addresses[id])
	}
	for i := 1; i < s.regions; i++ {
		if err := c.split([]byte{byte(i * 256 / s.regions)}); err != nil {
			return nil, err
		}
	}
	for i, region := range c.regions() {
		if err := c.lead(region.Meta.Id, c.stores[i%len(c.stores)]); err != nil {
			return nil, err
		}
	}
	return c, nil
}

func (c *cluster) regions() []*pd.Region { return c.layout.ScanRegions(nil, nil, 0) }

func (c *cluster) address(store uint64) string {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.addresses[store]
}

func (c *cluster) isSilent(store uint64) bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.silent[store]
}

// Split cuts the region that holds the key, before the key.
func (c *cluster) split(key []byte) error {
	if len(key) == 0 {
		return errors.New("a split needs a key")
	}
	at := encoded(key)
	region, leader, _ := c.layout.GetRegionByKey(at)
	if region == nil || leader == nil {
		return errors.New("the key is in no region that has a leader")
	}
	if bytes.Equal(region.StartKey, at) {
		return nil
	}
	peers := c.layout.AllocIDs(len(region.Peers))
	leads := peers[0]
	for i, peer := range region.Peers {
		if peer.StoreId == leader.StoreId {
			leads = peers[i]
		}
	}
	c.layout.SplitRaw(region.Id, c.layout.AllocID(), at, peers, leads)
	return nil
}

// Lead makes the peer on a store the leader of a region; store 0: any other one that answers.
func (c *cluster) lead(id, store uint64) error {
	region, leader := c.layout.GetRegion(id)
	if region == nil {
		return fmt.Errorf("there is no region %d", id)
	}
	var fit []*metapb.Peer
	for _, peer := range region.Peers {
		if c.isSilent(peer.StoreId) {
			continue
		}
		if peer.StoreId == store || store == 0 && peer.Id != leader {
			fit = append(fit, peer)
		}
	}
	if len(fit) == 0 {
		return fmt.Errorf("no other store can lead region %d", id)
	}
	c.layout.ChangeLeader(id, fit[rand.Intn(len(fit))].Id)
	return nil
}

// Silence makes a store stop answering, or answer again. While most stores answer, those take over its regions.
func (c *cluster) silence(store uint64, on bool) error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.addresses[store] == "" {
		return fmt.Errorf("there is no store %d", store)
	}
	c.silent[store] = on
	if !on {
		return nil
	}
	down := 0
	for _, silent := range c.silent {
		if silent {
			down++
		}
	}
	if down*2 >= len(c.stores) {
		return nil
	}
	time.AfterFunc(electionTime, func() {
		if !c.isSilent(store) {
			return
		}
		for _, region := range c.regions() {
			if region.Leader != nil && region.Leader.StoreId == store {
				_ = c.lead(region.Meta.Id, 0)
			}
		}
	})
	return nil
}

// Disturb splits regions and moves leaders for ever.
func (c *cluster) disturb(every time.Duration) {
	for range time.Tick(every) {
		regions := c.regions()
		if len(regions) < disturbRegionsMax && rand.Intn(4) == 0 {
			// In the middle of keys that exist, or nothing would notice.
			if key := c.someKey(); len(key) > 0 {
				_ = c.split(key)
			}
			continue
		}
		_ = c.lead(regions[rand.Intn(len(regions))].Meta.Id, 0)
	}
}

// SomeKey is one of the first keys of the store, at random.
func (c *cluster) someKey() []byte {
	pairs := c.client.MvccStore.Scan(nil, nil, 1+rand.Intn(1000), 1<<62, 0, nil)
	if len(pairs) == 0 {
		return nil
	}
	return pairs[len(pairs)-1].Key
}

// Encoded is the form in which keys are compared by stores: groups of eight bytes, each with a mark of its length.
func encoded(key []byte) []byte {
	out := make([]byte, 0, (len(key)/8+1)*9)
	for at := 0; at <= len(key); at += 8 {
		var group [8]byte
		length := copy(group[:], key[at:])
		out = append(append(out, group[:]...), byte(0xFF-(8-length)))
	}
	return out
}

// Commands is what tests ask of the cluster over HTTP.
func (c *cluster) commands() http.Handler {
	mux := http.NewServeMux()
	command := func(path string, do func(store, region uint64, key []byte) error) {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			number := func(name string) uint64 {
				n, _ := strconv.ParseUint(r.FormValue(name), 10, 64)
				return n
			}
			key, err := hex.DecodeString(r.FormValue("key"))
			if err == nil {
				err = do(number("store"), number("region"), key)
			}
			if err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
			fmt.Fprintln(w, "done")
		})
	}
	command("/split", func(_, _ uint64, key []byte) error { return c.split(key) })
	command("/lead", func(store, region uint64, _ []byte) error { return c.lead(region, store) })
	command("/silence", func(store, _ uint64, _ []byte) error { return c.silence(store, true) })
	command("/wake", func(store, _ uint64, _ []byte) error { return c.silence(store, false) })
	mux.HandleFunc("/regions", func(w http.ResponseWriter, _ *http.Request) {
		for _, region := range c.regions() {
			fmt.Fprintf(w, "%d %x %d\n", region.Meta.Id, region.Meta.StartKey, region.Leader.GetStoreId())
		}
	})
	mux.HandleFunc("/stores", func(w http.ResponseWriter, _ *http.Request) {
		for _, id := range c.stores {
			fmt.Fprintf(w, "%d %s %v\n", id, c.address(id), c.isSilent(id))
		}
	})
	return mux
}
