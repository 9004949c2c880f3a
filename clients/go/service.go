package backstep

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// service is one run of a worker, from its start until its drain is over.
type service struct {
	*Worker
	gateway *gateway
	name    string
	// stopping is closed when no more work is asked for.
	stopping <-chan struct{}
	// slotsFree has a token for each action that may begin.
	slotsFree chan struct{}
	working   sync.WaitGroup
	claims    claims
	// complained keeps the log short while the gateway cannot be asked.
	complained seldom
}

func newService(w *Worker, g *gateway) *service {
	s := &service{
		Worker: w, gateway: g, name: newName(), slotsFree: make(chan struct{}, w.slots),
		claims: claims{alive: map[claimKey]*attempt{}, kick: make(chan struct{}, 1)},
	}
	for range w.slots {
		s.slotsFree <- struct{}{}
	}
	return s
}

func (s *service) run(ctx context.Context) {
	s.stopping = ctx.Done()
	// What belongs to claims goes on after ctx has ended.
	lasting, end := context.WithCancel(context.WithoutCancel(ctx))
	beating := make(chan struct{})
	go func() {
		defer close(beating)
		s.beat(lasting)
	}()
	s.register(ctx)
	s.poll(ctx, lasting)
	s.drain(lasting)
	end()
	<-beating
	s.sayGoodbye(context.WithoutCancel(ctx))
}

func (s *service) isStopping() bool {
	select {
	case <-s.stopping:
		return true
	default:
		return false
	}
}

// register tells the gateway what this worker serves, until it has taken note: only then does it
// know which members of outputs are secrets.
func (s *service) register(ctx context.Context) {
	modules := map[string]map[string]served{}
	for _, m := range s.modules {
		modules[m.name] = map[string]served{}
		for name, h := range m.commands {
			modules[m.name][name] = served{Output: h.output, Secrets: h.secrets}
		}
	}
	body := registration{
		Modules: modules, Build: s.build, Slots: s.slots, Host: hostName(),
		SDK: "backstep-go/" + version,
	}
	var pause backoff
	for {
		var answer beatInterval
		err := s.gateway.send(ctx, call{
			http.MethodPut, s.path(), body, &answer, socketReserve,
		})
		if err == nil {
			s.claims.setInterval(answer.HeartbeatMs)
			return
		}
		if ctx.Err() != nil {
			return
		}
		s.complain("cannot register", err)
		sleep(ctx, pause.after(err))
	}
}

func (s *service) path() string { return "/v1/workers/" + url.PathEscape(s.name) }

// drain waits for the running actions, and ends their contexts when the grace is over. Those that
// do not heed that are left.
func (s *service) drain(ctx context.Context) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.working.Wait()
	}()
	if s.grace <= 0 {
		<-done
		return
	}
	timer := time.NewTimer(s.grace)
	defer timer.Stop()
	select {
	case <-done:
		return
	case <-timer.C:
	}
	s.log.WarnContext(ctx, "backstep: the grace is over, running actions are stopped")
	for _, a := range s.claims.all() {
		a.cancel(&Cancelled{Reason: "stopping", err: ErrStopping})
	}
	timer.Reset(s.deaf)
	select {
	case <-done:
	case <-timer.C:
		// The good-bye hands their claims back.
		s.log.ErrorContext(ctx, "backstep: actions that have not stopped are left",
			"actions", len(s.claims.all()))
	}
}

// sayGoodbye hands back whatever the gateway still counts as claimed by this worker.
func (s *service) sayGoodbye(ctx context.Context) {
	err := s.gateway.send(ctx, call{http.MethodDelete, s.path(), nil, nil, socketReserve})
	if err != nil {
		s.log.WarnContext(ctx, "backstep: could not say good-bye", "error", err)
	}
}

// complain logs once a minute what keeps the gateway from being asked.
func (s *service) complain(what string, err error) {
	if s.complained.now() {
		s.log.Error("backstep: "+what+"; trying on", "error", err, slog.String("worker", s.name))
	}
}
