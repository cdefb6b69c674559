// Tikv-store speaks the gRPC protocols of PD and TiKV on loopback, for tests of clients. README.md says what it is and
// what it is not.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/pingcap/kvproto/pkg/keyspacepb"
	"github.com/pingcap/kvproto/pkg/pdpb"
	"github.com/pingcap/kvproto/pkg/tikvpb"
	"google.golang.org/grpc"
)

// Largest message either way: a batch of Rhizome's is 64 MiB at most, an answer some rows of 16 MiB.
const messageBytesMax = 512 << 20

type settings struct {
	data         string
	host         string
	pdPort       int
	storePort    int
	stores       int
	regions      int
	disturbEvery time.Duration
	delay        time.Duration
	tls          string
}

func parse() settings {
	var s settings
	flag.StringVar(&s.data, "data", "", "folder of the data; empty: in memory")
	flag.StringVar(&s.host, "host", "127.0.0.1", "address to listen at")
	flag.IntVar(&s.pdPort, "pd-port", 23790, "port of PD; commands are taken over HTTP at the next one")
	flag.IntVar(&s.storePort, "store-port", 20160, "port of the first store; the others have the next ones")
	flag.IntVar(&s.stores, "stores", 3, "stores")
	flag.IntVar(&s.regions, "regions", 1, "regions at the start, cut evenly by the first byte of the key")
	flag.DurationVar(&s.disturbEvery, "disturb", 0, "how often a region is split or gets another leader; 0: never")
	flag.DurationVar(&s.delay, "delay", 0, "how long each answer is held back, as a network's round trip would")
	flag.StringVar(&s.tls, "tls", "", "folder to make certificates in; clients then need one of those; empty: no TLS")
	flag.Parse()
	return s
}

// Holds each answer back.
func late(delay time.Duration) grpc.UnaryServerInterceptor {
	return func(ctx context.Context, request any, _ *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
		time.Sleep(delay)
		return handle(ctx, request)
	}
}

func main() {
	if err := run(parse()); err != nil {
		log.Fatal(err)
	}
}

func run(s settings) error {
	data, clockFile := "", ""
	if s.data != "" {
		if err := os.MkdirAll(s.data, 0o755); err != nil {
			return err
		}
		data, clockFile = filepath.Join(s.data, "db"), filepath.Join(s.data, "clock")
	}
	clock, err := openClock(clockFile)
	if err != nil {
		return err
	}
	c, err := openCluster(data, s)
	if err != nil {
		return err
	}
	options := []grpc.ServerOption{grpc.MaxRecvMsgSize(messageBytesMax), grpc.MaxSendMsgSize(messageBytesMax)}
	if s.delay > 0 {
		options = append(options, grpc.UnaryInterceptor(late(s.delay)))
	}
	scheme := "http"
	if s.tls != "" {
		certificates, err := makeCertificates(s.tls, s.host)
		if err != nil {
			return err
		}
		options, scheme = append(options, grpc.Creds(certificates)), "https"
	}
	failed := make(chan error, s.stores+2)
	serve := func(port int, register func(*grpc.Server)) error {
		listener, err := net.Listen("tcp", fmt.Sprintf("%s:%d", s.host, port))
		if err != nil {
			return err
		}
		server := grpc.NewServer(options...)
		register(server)
		go func() { failed <- server.Serve(listener) }()
		return nil
	}
	since, err := clock.version()
	if err != nil {
		return err
	}
	locks := newLocks(since)
	for i, id := range c.stores {
		store := &storeService{cluster: c, clock: clock, locks: locks, id: id}
		if err := serve(s.storePort+i, func(g *grpc.Server) { tikvpb.RegisterTikvServer(g, store) }); err != nil {
			return err
		}
	}
	commands, err := net.Listen("tcp", fmt.Sprintf("%s:%d", s.host, s.pdPort+1))
	if err != nil {
		return err
	}
	go func() { failed <- http.Serve(commands, c.commands()) }()
	if s.disturbEvery > 0 {
		go c.disturb(s.disturbEvery)
	}
	// PD comes last: when it answers, everything does.
	err = serve(s.pdPort, func(g *grpc.Server) {
		pdpb.RegisterPDServer(g, &pdService{cluster: c, clock: clock, delay: s.delay, url: fmt.Sprintf("%s://%s:%d", scheme, s.host, s.pdPort)})
		keyspacepb.RegisterKeyspaceServer(g, &keyspacepb.UnimplementedKeyspaceServer{})
	})
	if err != nil {
		return err
	}
	log.Printf("PD at %s:%d, %d stores from port %d, %d regions", s.host, s.pdPort, s.stores, s.storePort, len(c.regions()))
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM, syscall.SIGINT)
	select {
	case err := <-failed:
		return err
	case <-stop:
		return c.client.Close()
	}
}
