package backstep

import (
	"context"
	"net/http"
	"time"
)

const (
	claimsPerPoll = 100
	// commandsMax: with more names a poll asks for all commands of its modules.
	commandsMax = 200
	// replayable is how long the gateway gives the same answer to the same pollId.
	replayable = time.Minute
	// drainPause is how often a worker that an operator drains asks again.
	drainPause = 10 * time.Second
	// soon is when an empty answer is no wait: asking on at once would never pause.
	soon = 50 * time.Millisecond
)

// poll asks for work as long as ctx lasts, whenever a slot is free. Actions get the context
// lasting.
func (s *service) poll(ctx, lasting context.Context) {
	var empty backoff
	defer s.asks.Store(false)
	for {
		s.asks.Store(false)
		slots := s.takeSlots(ctx)
		if slots == 0 {
			return
		}
		s.answered()
		s.asks.Store(true)
		asked := time.Now()
		got, sent, ok := s.ask(ctx, slots)
		if !ok {
			s.freeSlots(slots)
			return
		}
		s.accept(lasting, got.Items, sent, slots)
		switch {
		case got.Drain || got.RetryAfterMs > 0:
			pause := drainPause
			if got.RetryAfterMs > 0 {
				pause = min(millis(got.RetryAfterMs), longestPause)
			}
			sleep(ctx, pause)
		case len(got.Items) == 0 && time.Since(asked) < soon:
			sleep(ctx, empty.after(nil))
		default:
			empty.reset()
		}
	}
}

// takeSlots waits for a free slot, and takes what else is free: 0 when ctx ends.
func (s *service) takeSlots(ctx context.Context) int {
	if ctx.Err() != nil {
		return 0
	}
	select {
	case <-ctx.Done():
		return 0
	case <-s.slotsFree:
	}
	for taken := 1; ; taken++ {
		if taken == claimsPerPoll {
			return taken
		}
		select {
		case <-s.slotsFree:
		default:
			return taken
		}
	}
}

func (s *service) freeSlots(n int) {
	for range n {
		s.slotsFree <- struct{}{}
	}
}

// ask sends a poll until it is answered, and returns when the answered request was sent. The
// pollId stays the same, so that what a lost answer had claimed is not lost.
func (s *service) ask(ctx context.Context, slots int) (got delivery, sent time.Time, ok bool) {
	body := s.order(slots)
	var first time.Time
	var pause backoff
	for {
		sent = time.Now()
		if first.IsZero() || sent.Sub(first) > replayable {
			body.PollID, first = newPollID(), sent
		}
		got = delivery{}
		err := s.gateway.send(ctx, call{
			http.MethodPost, "/v1/work:poll", body, &got, s.wait + socketReserve,
		})
		if err == nil {
			s.answered()
			return got, sent, true
		}
		if ctx.Err() != nil {
			return got, sent, false
		}
		s.complain("cannot ask for work", err)
		sleep(ctx, pause.after(err))
		// A gateway that was away for long may have forgotten this worker.
		s.register(ctx)
	}
}

func (s *service) order(slots int) order {
	o := order{
		Worker: s.name, Max: slots, Wait: duration(s.wait), Lease: duration(s.lease), Build: s.build,
	}
	for _, m := range s.modules {
		o.Modules = append(o.Modules, m.name)
		for command := range m.commands {
			o.Commands = append(o.Commands, command)
		}
	}
	if len(o.Commands) > commandsMax {
		o.Commands = nil
	}
	return o
}

// accept begins the actions of an answer in slots that were taken for them, and frees the others.
// An item that is under way already is a repetition.
func (s *service) accept(ctx context.Context, items []item, sent time.Time, slots int) {
	for index := range items {
		if s.claims.has(&items[index]) {
			continue
		}
		a := s.newAttempt(ctx, &items[index], sent.Add(millis(items[index].WaitedMs)))
		s.claims.add(a)
		s.working.Add(1)
		switch {
		case s.isStopping():
			go s.handBack(ctx, a, "stopping")
		case slots == 0:
			// More than was asked for.
			go s.handBack(ctx, a, "no free slot")
		default:
			slots--
			go s.carryOut(ctx, a)
		}
	}
	s.freeSlots(slots)
}

func (s *service) handlerOf(i *item) (handler, bool) {
	for _, m := range s.modules {
		if m.name == i.Module {
			h, has := m.commands[i.Command]
			return h, has
		}
	}
	return handler{}, false
}

// secretNames are the members that any of the commands calls secrets: outputs of one are parameters
// of another.
func (s *service) secretNames() []string {
	var names []string
	for _, m := range s.modules {
		for _, h := range m.commands {
			names = append(names, h.secrets...)
		}
	}
	return names
}
