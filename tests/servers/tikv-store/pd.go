package main

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/pingcap/kvproto/pkg/metapb"
	"github.com/pingcap/kvproto/pkg/pdpb"
	pd "github.com/tikv/pd/client"
)

// PdService is the part of PD that clients need: who is there, what time it is, where a key is.
type pdService struct {
	pdpb.UnimplementedPDServer
	cluster *cluster
	clock   *clock
	url     string
	delay   time.Duration
}

func header() *pdpb.ResponseHeader { return &pdpb.ResponseHeader{ClusterId: clusterID} }

func (p *pdService) GetMembers(context.Context, *pdpb.GetMembersRequest) (*pdpb.GetMembersResponse, error) {
	me := &pdpb.Member{Name: "pd", MemberId: 1, PeerUrls: []string{p.url}, ClientUrls: []string{p.url}}
	return &pdpb.GetMembersResponse{Header: header(), Members: []*pdpb.Member{me}, Leader: me, EtcdLeader: me}, nil
}

// Answers to requests for timestamps that may be held back on one stream.
const tsoHeld = 4096

// Each answer is held back from its own request on: later requests of a stream do not wait for earlier answers to arrive.
func (p *pdService) Tso(stream pdpb.PD_TsoServer) error {
	type held struct {
		until  time.Time
		answer *pdpb.TsoResponse
	}
	answers, failed, sent := make(chan held, tsoHeld), make(chan error, 1), make(chan struct{})
	defer func() {
		close(answers)
		<-sent
	}()
	go func() {
		defer close(sent)
		for one := range answers {
			time.Sleep(time.Until(one.until))
			if err := stream.Send(one.answer); err != nil {
				failed <- err
				return
			}
		}
	}()
	for {
		request, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		count := max(request.Count, 1)
		millis, logical, err := p.clock.next(int64(count))
		if err != nil {
			return err
		}
		timestamp := &pdpb.Timestamp{Physical: millis, Logical: logical}
		answer := &pdpb.TsoResponse{Header: header(), Count: count, Timestamp: timestamp}
		select {
		case answers <- held{until: time.Now().Add(p.delay), answer: answer}:
		case err := <-failed:
			return err
		}
	}
}

func (p *pdService) GetClusterConfig(context.Context, *pdpb.GetClusterConfigRequest) (*pdpb.GetClusterConfigResponse, error) {
	return &pdpb.GetClusterConfigResponse{Header: header(), Cluster: &metapb.Cluster{Id: clusterID}}, nil
}

func (p *pdService) GetStore(ctx context.Context, r *pdpb.GetStoreRequest) (*pdpb.GetStoreResponse, error) {
	store, err := p.cluster.pd.GetStore(ctx, r.StoreId)
	if err != nil {
		return nil, err
	}
	return &pdpb.GetStoreResponse{Header: header(), Store: store}, nil
}

func (p *pdService) GetAllStores(context.Context, *pdpb.GetAllStoresRequest) (*pdpb.GetAllStoresResponse, error) {
	return &pdpb.GetAllStoresResponse{Header: header(), Stores: p.cluster.layout.GetAllStores()}, nil
}

func regionAnswer(region *pd.Region, err error) (*pdpb.GetRegionResponse, error) {
	answer := &pdpb.GetRegionResponse{Header: header()}
	if region != nil {
		answer.Region, answer.Leader = region.Meta, region.Leader
	}
	return answer, err
}

func (p *pdService) GetRegion(ctx context.Context, r *pdpb.GetRegionRequest) (*pdpb.GetRegionResponse, error) {
	return regionAnswer(p.cluster.pd.GetRegion(ctx, r.RegionKey))
}

func (p *pdService) GetPrevRegion(ctx context.Context, r *pdpb.GetRegionRequest) (*pdpb.GetRegionResponse, error) {
	return regionAnswer(p.cluster.pd.GetPrevRegion(ctx, r.RegionKey))
}

func (p *pdService) GetRegionByID(ctx context.Context, r *pdpb.GetRegionByIDRequest) (*pdpb.GetRegionResponse, error) {
	return regionAnswer(p.cluster.pd.GetRegionByID(ctx, r.RegionId))
}

func (p *pdService) ScanRegions(_ context.Context, r *pdpb.ScanRegionsRequest) (*pdpb.ScanRegionsResponse, error) {
	answer := &pdpb.ScanRegionsResponse{Header: header()}
	for _, region := range p.cluster.layout.ScanRegions(r.StartKey, r.EndKey, int(r.Limit)) {
		answer.RegionMetas = append(answer.RegionMetas, region.Meta)
		answer.Leaders = append(answer.Leaders, region.Leader)
		answer.Regions = append(answer.Regions, &pdpb.Region{Region: region.Meta, Leader: region.Leader})
	}
	return answer, nil
}

func (p *pdService) GetGCSafePoint(ctx context.Context, _ *pdpb.GetGCSafePointRequest) (*pdpb.GetGCSafePointResponse, error) {
	point, err := p.cluster.pd.UpdateGCSafePoint(ctx, 0)
	return &pdpb.GetGCSafePointResponse{Header: header(), SafePoint: point}, err
}

// UpdateGCSafePoint also drops what nobody may read any more; stores would do that by themselves a little later.
func (p *pdService) UpdateGCSafePoint(ctx context.Context, r *pdpb.UpdateGCSafePointRequest) (*pdpb.UpdateGCSafePointResponse, error) {
	point, err := p.cluster.pd.UpdateGCSafePoint(ctx, r.SafePoint)
	if err == nil {
		err = p.cluster.client.MvccStore.GC(nil, nil, point)
	}
	return &pdpb.UpdateGCSafePointResponse{Header: header(), NewSafePoint: point}, err
}
