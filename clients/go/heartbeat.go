package backstep

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"sync"
	"time"
)

// claims are the attempts under way, by their claims.
type claims struct {
	mu    sync.Mutex
	alive map[claimKey]*attempt
	// ended are the claims that ended last: an answer may be long on its way.
	ended []claimKey
	// interval is what the gateway wants between heartbeats; 0: not told yet.
	interval time.Duration
	// kick has the heartbeat look again at what is due.
	kick chan struct{}
}

// endedMax is more than a worker ends while an answer is on its way.
const endedMax = 1_000

// claimKey is what a claim is of: its text may have been written again.
type claimKey struct {
	task, run string
	direction Direction
	token     int64
}

func keyOf(i *item) claimKey {
	return claimKey{i.TaskID, i.Run, i.Direction, i.FencingToken}
}

// has says whether an action is under way already, or has ended.
func (c *claims) has(i *item) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := keyOf(i)
	return c.alive[key] != nil || slices.Contains(c.ended, key)
}

func (c *claims) add(a *attempt) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.alive[keyOf(a.item)] = a
	c.wake()
}

func (c *claims) remove(a *attempt) {
	c.mu.Lock()
	key := keyOf(a.item)
	delete(c.alive, key)
	c.ended = append(c.ended, key)
	if len(c.ended) > endedMax {
		c.ended = c.ended[1:]
	}
	c.mu.Unlock()
	a.close()
}

func (c *claims) all() []*attempt {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := make([]*attempt, 0, len(c.alive))
	for _, a := range c.alive {
		list = append(list, a)
	}
	return list
}

func (c *claims) setInterval(ms int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if ms > 0 {
		c.interval = millis(ms)
	}
}

func (c *claims) wake() {
	select {
	case c.kick <- struct{}{}:
	default:
	}
}

// due returns the attempts to renew, and how long until the first of them must be.
func (c *claims) due() (list []*attempt, in time.Duration) {
	c.mu.Lock()
	interval := c.interval
	c.mu.Unlock()
	in = longestPause
	for _, a := range c.all() {
		a.mu.Lock()
		if !a.gone {
			list = append(list, a)
			in = min(in, a.dueIn(interval))
		}
		a.mu.Unlock()
	}
	return list, in
}

// dueIn: a claim is renewed each third of its lease, and at once where it must be before it begins.
func (a *attempt) dueIn(interval time.Duration) time.Duration {
	if !a.isAsked && (a.item.Confirm || a.late) {
		return 0
	}
	every := a.lease / 3
	if interval > 0 {
		every = min(every, interval)
	}
	return time.Until(a.sent.Add(every))
}

// beat renews all claims, in one request, until ctx ends. A heartbeat that fails says nothing
// about a claim: the next one follows soon.
func (s *service) beat(ctx context.Context) {
	var pause backoff
	for {
		list, in := s.claims.due()
		if in > 0 {
			s.rest(ctx, in)
		} else if err := s.renew(ctx, list); err == nil {
			pause.reset()
		} else if ctx.Err() == nil {
			s.complain("cannot renew claims", err)
			sleep(ctx, min(pause.after(err), shortestLease(list)/3))
		}
		if ctx.Err() != nil {
			return
		}
	}
}

// rest waits until a heartbeat may be due.
func (s *service) rest(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-s.claims.kick:
	case <-ctx.Done():
	}
}

func shortestLease(list []*attempt) time.Duration {
	lease := longestPause
	for _, a := range list {
		lease = min(lease, a.leaseLength())
	}
	return lease
}

// renew sends one heartbeat for each hundred claims.
func (s *service) renew(ctx context.Context, list []*attempt) error {
	for len(list) > 0 {
		n := min(len(list), claimsPerPoll)
		if err := s.renewPart(ctx, list[:n]); err != nil {
			return err
		}
		list = list[n:]
	}
	return nil
}

func (s *service) renewPart(ctx context.Context, list []*attempt) error {
	body := pulse{Worker: s.name, Claims: make([]claimPulse, len(list))}
	words := make([]said, len(list))
	// Lines that one request does not carry go with the next.
	left := logBytes
	for index, a := range list {
		words[index] = a.record.take(left)
		left -= words[index].bytes
		body.Claims[index] = claimPulse{
			Claim: a.item.Claim, Progress: words[index].progress,
			Log: words[index].wire(), LogDropped: words[index].dropped,
		}
	}
	within := min(max(shortestLease(list)/3, time.Second), socketReserve)
	var answer pulseAnswer
	sent := time.Now()
	err := s.gateway.send(ctx, call{
		http.MethodPost, "/v1/work:heartbeat", body, &answer, within,
	})
	if err != nil {
		var p *Problem
		// The words may be what is refused, and leases count more than they do.
		if errors.As(err, &p) && p.isOfContent() {
			return err
		}
		for index, a := range list {
			a.record.giveBack(words[index])
		}
		return err
	}
	if !s.asks.Load() {
		s.answered()
	}
	s.claims.setInterval(answer.HeartbeatMs)
	told := make(map[string]claimState, len(answer.Claims))
	for _, state := range answer.Claims {
		told[state.Claim] = state
	}
	for _, a := range list {
		a.obey(told[a.item.Claim], sent)
	}
	return nil
}

// obey does what the gateway has said about a claim.
func (a *attempt) obey(told claimState, sent time.Time) {
	a.mu.Lock()
	a.isAsked = true
	a.mu.Unlock()
	switch told.State {
	case "held":
		a.renew(sent, millis(told.LeaseMs))
	case "cancelled":
		a.cancel(&Cancelled{Reason: told.Reason})
		a.postpone(sent)
	case "lost":
		a.setGone()
		a.cancel(&Cancelled{Reason: orElse(told.Reason, "lease_lost"), err: ErrLeaseLost})
	case "ended":
		a.setGone()
		a.cancel(&Cancelled{Reason: orElse(told.Reason, "ended"), err: ErrLeaseLost})
	default:
		a.postpone(sent)
	}
}

// postpone has the next heartbeat come after a third of the lease, without renewing it.
func (a *attempt) postpone(sent time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.sent = sent
}

func orElse(text, other string) string {
	if text == "" {
		return other
	}
	return text
}
