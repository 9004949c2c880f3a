package backsteptest

import (
	"net/http"
	"time"
)

// Route is a kind of request, for faults.
type Route string

// The kinds of requests of a worker.
const (
	Register  Route = "register"
	Poll      Route = "poll"
	Heartbeat Route = "heartbeat"
	Report    Route = "report"
	Goodbye   Route = "goodbye"
)

// fault is what goes wrong with the next requests of a route.
type fault struct {
	left   int
	status int
	after  string
}

// LoseAnswers has the next n requests of a route take effect without an answer.
func (g *Gateway) LoseAnswers(route Route, n int) { g.setFault(route, &fault{left: n}) }

// Refuse has the next n requests of a route answered with a status, and without effect. after is
// the Retry-After in seconds; empty: there is none.
func (g *Gateway) Refuse(route Route, n, status int, after string) {
	g.setFault(route, &fault{left: n, status: status, after: after})
}

func (g *Gateway) setFault(route Route, f *fault) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.faults[route] = f
}

// WaitFaults waits until all faults of a route have happened.
func (g *Gateway) WaitFaults(route Route) {
	g.t.Helper()
	h := &Handle{gateway: g}
	h.waitUntil("is past its faults", func() bool {
		f := g.faults[route]
		return f == nil || f.left == 0
	})
}

// Drain has polls get nothing, as if an operator drained the worker.
func (g *Gateway) Drain() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.drained = true
	g.change()
}

// Polls is how many requests for work have come.
func (g *Gateway) Polls() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.asked
}

// Cancel tells the worker with the next heartbeat that the task no longer wants the action.
func (h *Handle) Cancel(reason string) {
	h.gateway.mu.Lock()
	defer h.gateway.mu.Unlock()
	if h.claim != nil {
		h.claim.cancelled = reason
	}
}

// LoseLease ends the lease of the attempt under way, as if its worker had been silent for too
// long, and hands the action out again.
func (h *Handle) LoseLease(reason string) {
	h.gateway.mu.Lock()
	defer h.gateway.mu.Unlock()
	h.loseLease(reason)
}

func (h *Handle) loseLease(reason string) {
	if h.claim == nil {
		return
	}
	if h.claim.held {
		h.attempt++
	}
	h.claim.lost = reason
	h.claim, h.ready = nil, true
	h.gateway.change()
}

// Repeat has the next poll get the attempt under way once more.
func (h *Handle) Repeat() {
	h.gateway.mu.Lock()
	defer h.gateway.mu.Unlock()
	h.ready = true
	h.gateway.change()
}

// take uses up a fault of a route; nil: nothing goes wrong.
func (g *Gateway) take(route Route) *fault {
	g.mu.Lock()
	defer g.mu.Unlock()
	f := g.faults[route]
	if f == nil || f.left == 0 {
		return nil
	}
	f.left--
	g.change()
	return &fault{status: f.status, after: f.after}
}

// faulty puts the faults of a route around its handler.
func (g *Gateway) faulty(route Route, handle http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		f := g.take(route)
		switch {
		case f == nil:
			handle(w, r)
		case f.status == 0:
			handle(unanswered{header: http.Header{}}, r)
			// The server closes the connection.
			panic(http.ErrAbortHandler)
		default:
			if f.after != "" {
				w.Header().Set("Retry-After", f.after)
			}
			refuse(w, problem{Status: f.status, Code: "FAULT", Detail: statusOf(f.status)})
		}
	}
}

// unanswered takes an answer that nobody gets.
type unanswered struct{ header http.Header }

func (u unanswered) Header() http.Header            { return u.header }
func (u unanswered) Write(text []byte) (int, error) { return len(text), nil }
func (u unanswered) WriteHeader(int)                {}

// expire ends the leases that are over. The lock is held.
func (g *Gateway) expire() {
	now := time.Now()
	for _, h := range g.actions {
		if h.claim != nil && now.After(h.claim.until) {
			h.loseLease("timed_out")
		}
	}
}
