package main

import (
	"context"
	"log"
	"strings"
	"time"

	"github.com/pingcap/kvproto/pkg/kvrpcpb"
	"github.com/pingcap/kvproto/pkg/tikvpb"
	"github.com/tikv/client-go/v2/tikvrpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// StoreService is one store: it checks region, epoch and leader as its own, over the engine that all stores share.
type storeService struct {
	tikvpb.UnimplementedTikvServer
	cluster *cluster
	clock   *clock
	locks   *locks
	id      uint64
}

// Ask passes a request on to the engine as if it had come to this store.
func ask[Answer any](s *storeService, ctx context.Context, command tikvrpc.CmdType, request any, header *kvrpcpb.Context) (answer Answer, err error) {
	if s.cluster.isSilent(s.id) {
		return answer, status.Error(codes.Unavailable, "the store is silent")
	}
	if header == nil {
		header = &kvrpcpb.Context{}
	}
	// Where a real store refuses a request, the engine panics. It must cost that request only.
	defer func() {
		if reason := recover(); reason != nil {
			log.Printf("store %d: %v: %v", s.id, command, reason)
			err = status.Errorf(codes.Internal, "%v", reason)
		}
	}()
	response, err := s.cluster.client.SendRequest(ctx, s.cluster.address(s.id), tikvrpc.NewRequest(command, request, *header), time.Minute)
	if err != nil {
		return answer, status.Error(codes.Unavailable, err.Error())
	}
	answer, ok := response.Resp.(Answer)
	if !ok {
		return answer, status.Errorf(codes.Unimplemented, "%v answers a %T", command, response.Resp)
	}
	return answer, nil
}

func (s *storeService) KvGet(ctx context.Context, r *kvrpcpb.GetRequest) (*kvrpcpb.GetResponse, error) {
	answer, err := ask[*kvrpcpb.GetResponse](s, ctx, tikvrpc.CmdGet, r, r.Context)
	if err == nil && answer.Error == nil && answer.RegionError == nil {
		answer.NotFound = answer.Value == nil
	}
	return answer, err
}

func (s *storeService) KvBatchGet(ctx context.Context, r *kvrpcpb.BatchGetRequest) (*kvrpcpb.BatchGetResponse, error) {
	return ask[*kvrpcpb.BatchGetResponse](s, ctx, tikvrpc.CmdBatchGet, r, r.Context)
}

func (s *storeService) KvScan(ctx context.Context, r *kvrpcpb.ScanRequest) (*kvrpcpb.ScanResponse, error) {
	answer, err := ask[*kvrpcpb.ScanResponse](s, ctx, tikvrpc.CmdScan, r, r.Context)
	if err == nil && r.KeyOnly {
		for _, pair := range answer.Pairs {
			pair.Value = nil
		}
	}
	return answer, err
}

// KvPrewrite is the first phase. With one phase asked for, the second follows here, inside the request. Async commit is
// refused, since the engine keeps no list of the other keys.
func (s *storeService) KvPrewrite(ctx context.Context, r *kvrpcpb.PrewriteRequest) (*kvrpcpb.PrewriteResponse, error) {
	if r.UseAsyncCommit {
		return failed("async commit is not supported here"), nil
	}
	if version := s.committedAs(r); version > 0 {
		return &kvrpcpb.PrewriteResponse{OnePcCommitTs: version}, nil
	}
	keys := make([][]byte, len(r.Mutations))
	for i, mutation := range r.Mutations {
		keys[i] = mutation.Key
	}
	s.locks.add(r.StartVersion, keys)
	answer, err := ask[*kvrpcpb.PrewriteResponse](s, ctx, tikvrpc.CmdPrewrite, r, r.Context)
	if err != nil || !r.TryOnePc || answer.RegionError != nil || len(answer.Errors) > 0 {
		rolledBack(answer, r.StartVersion)
		return answer, err
	}
	version, err := s.clock.version()
	if err != nil {
		return nil, err
	}
	if err := s.cluster.client.MvccStore.Commit(keys, r.StartVersion, version); err != nil {
		return failed(err.Error()), nil
	}
	s.locks.remove(r.StartVersion, keys)
	answer.OnePcCommitTs = version
	return answer, nil
}

// RolledBack says as a store does that others gave the transaction up meanwhile: as a conflict.
func rolledBack(answer *kvrpcpb.PrewriteResponse, version uint64) {
	for _, one := range answer.GetErrors() {
		if strings.Contains(one.Abort, "rolled back") {
			one.Abort, one.Conflict = "", &kvrpcpb.WriteConflict{StartTs: version}
		}
	}
}

// CommittedAs finds out whether a request in one phase comes again after its answer was lost. A store does so too.
func (s *storeService) committedAs(r *kvrpcpb.PrewriteRequest) uint64 {
	versions, ok := s.cluster.client.MvccStore.(interface {
		MvccGetByKey(key []byte) *kvrpcpb.MvccInfo
	})
	if !ok || !r.TryOnePc || len(r.Mutations) == 0 {
		return 0
	}
	for _, write := range versions.MvccGetByKey(r.Mutations[0].Key).GetWrites() {
		if write.StartTs == r.StartVersion && write.Type != kvrpcpb.Op_Rollback {
			return write.CommitTs
		}
	}
	return 0
}

func failed(reason string) *kvrpcpb.PrewriteResponse {
	return &kvrpcpb.PrewriteResponse{Errors: []*kvrpcpb.KeyError{{Abort: reason}}}
}

func (s *storeService) KvCommit(ctx context.Context, r *kvrpcpb.CommitRequest) (*kvrpcpb.CommitResponse, error) {
	answer, err := ask[*kvrpcpb.CommitResponse](s, ctx, tikvrpc.CmdCommit, r, r.Context)
	if err == nil && answer.Error == nil && answer.RegionError == nil {
		s.locks.remove(r.StartVersion, r.Keys)
	}
	return answer, err
}

func (s *storeService) KvBatchRollback(ctx context.Context, r *kvrpcpb.BatchRollbackRequest) (*kvrpcpb.BatchRollbackResponse, error) {
	answer, err := ask[*kvrpcpb.BatchRollbackResponse](s, ctx, tikvrpc.CmdBatchRollback, r, r.Context)
	if err == nil && answer.Error == nil && answer.RegionError == nil {
		s.locks.remove(r.StartVersion, r.Keys)
	}
	return answer, err
}

func (s *storeService) KvCleanup(ctx context.Context, r *kvrpcpb.CleanupRequest) (*kvrpcpb.CleanupResponse, error) {
	return ask[*kvrpcpb.CleanupResponse](s, ctx, tikvrpc.CmdCleanup, r, r.Context)
}

func (s *storeService) KvTxnHeartBeat(ctx context.Context, r *kvrpcpb.TxnHeartBeatRequest) (*kvrpcpb.TxnHeartBeatResponse, error) {
	return ask[*kvrpcpb.TxnHeartBeatResponse](s, ctx, tikvrpc.CmdTxnHeartBeat, r, r.Context)
}

// KvCheckTxnStatus adds the lock to the answer, as a store does and clients rely on.
func (s *storeService) KvCheckTxnStatus(ctx context.Context, r *kvrpcpb.CheckTxnStatusRequest) (*kvrpcpb.CheckTxnStatusResponse, error) {
	answer, err := ask[*kvrpcpb.CheckTxnStatusResponse](s, ctx, tikvrpc.CmdCheckTxnStatus, r, r.Context)
	if err == nil && answer.LockTtl > 0 {
		answer.LockInfo = &kvrpcpb.LockInfo{
			PrimaryLock: r.PrimaryKey, Key: r.PrimaryKey, LockVersion: r.LockTs, LockTtl: answer.LockTtl,
		}
	}
	return answer, err
}

// KvScanLock keeps to the range and the limit of the request, which the engine does not look at.
func (s *storeService) KvScanLock(ctx context.Context, r *kvrpcpb.ScanLockRequest) (*kvrpcpb.ScanLockResponse, error) {
	answer, err := ask[*kvrpcpb.ScanLockResponse](s, ctx, tikvrpc.CmdScanLock, r, r.Context)
	if err != nil {
		return answer, err
	}
	var inside []*kvrpcpb.LockInfo
	for _, lock := range answer.Locks {
		key := string(lock.Key)
		full := r.Limit > 0 && len(inside) >= int(r.Limit)
		if !full && key >= string(r.StartKey) && (len(r.EndKey) == 0 || key < string(r.EndKey)) {
			inside = append(inside, lock)
		}
	}
	answer.Locks = inside
	return answer, nil
}

// KvResolveLock does so in all regions at once, which share the engine.
func (s *storeService) KvResolveLock(_ context.Context, r *kvrpcpb.ResolveLockRequest) (*kvrpcpb.ResolveLockResponse, error) {
	if s.cluster.isSilent(s.id) {
		return nil, status.Error(codes.Unavailable, "the store is silent")
	}
	outcomes := map[uint64]uint64{}
	for _, transaction := range r.TxnInfos {
		outcomes[transaction.Txn] = transaction.Status
	}
	if len(r.TxnInfos) == 0 {
		outcomes[r.StartVersion] = r.CommitVersion
	}
	for transaction, outcome := range outcomes {
		if err := s.resolve(transaction, outcome); err != nil {
			return &kvrpcpb.ResolveLockResponse{Error: &kvrpcpb.KeyError{Abort: err.Error()}}, nil
		}
	}
	return &kvrpcpb.ResolveLockResponse{}, nil
}

// Resolve commits what a transaction has locked, or rolls it back where the outcome is 0.
func (s *storeService) resolve(transaction, outcome uint64) error {
	store := s.cluster.client.MvccStore
	keys, known := s.locks.of(transaction)
	if !known {
		return store.ResolveLock(nil, nil, transaction, outcome)
	}
	for _, key := range keys {
		next := append(append([]byte{}, key...), 0)
		if err := store.ResolveLock(key, next, transaction, outcome); err != nil {
			return err
		}
		s.locks.remove(transaction, [][]byte{key})
	}
	return nil
}
