// Package backsteptest tests workers without a Backstep: Gateway serves the worker protocol within
// the process, with faults to order, and UndoContract tries a command and its undo in all the
// orders in which they may be called.
package backsteptest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	backstep "backstep.example/clients/go"
)

// Patience is how long Wait waits before the test has failed: no test that works gets there.
const Patience = 30 * time.Second

// Gateway is a Backstep that has only the worker protocol. Actions are added by the test, and
// handed out in that order. Make one with New.
type Gateway struct {
	// URL is the address for NewWorker.
	URL string

	t      testing.TB
	server *httptest.Server

	mu      sync.Mutex
	changed chan struct{}
	lease   time.Duration
	beat    time.Duration
	tokens  int64
	tasks   int
	actions []*Handle
	polls   map[string][]*claim
	claims  map[string]*claim
	workers map[string]registerBody
	orders  map[string]pollBody
	faults  map[Route]*fault
	drained bool
	asked   int
}

// Action is an action to carry out. What is not given gets a sensible value.
type Action struct {
	Module    string
	Command   string
	Direction backstep.Direction
	// Parameters is written as JSON. Default: {}.
	Parameters any
	TaskID     string
	Flow       string
	Step       string
	Run        string
	// IdempotencyKey and ForwardKey follow from the task and the run by default.
	IdempotencyKey string
	ForwardKey     string
	// FencingToken of the first claim; each later one gets a higher one.
	FencingToken int64
	// Undoes is what an undo is told of its forward action.
	Undoes  *backstep.ForwardResult
	Labels  map[string]string
	Results map[string]any
	// Confirm asks the worker to have a heartbeat confirmed before it begins.
	Confirm bool
	// Timeout of an attempt. Default: one minute.
	Timeout time.Duration
	// Retries is how often the action is handed out again after a retryable failure.
	Retries int
}

// Outcome is how an action ended: the report that ended it.
type Outcome struct {
	// Verb is complete, fail or later.
	Verb string
	// Output is a JSON object, or empty.
	Output json.RawMessage
	// Secrets names the members of the output that are secrets.
	Secrets   []string
	Code      string
	Message   string
	Retryable bool
	After     time.Duration
	// Attempt is the number of the attempt that ended it.
	Attempt int
}

// Handle is an action that was added.
type Handle struct {
	gateway *Gateway
	action  Action
	// ready: it can be handed out.
	ready    bool
	claim    *claim
	attempt  int
	token    int64
	starts   int
	beats    int
	outcome  *Outcome
	late     []string
	log      []string
	progress []Progress
}

// Progress is what an attempt told about itself.
type Progress struct {
	State   string
	Percent float64
	Message string
}

// claim is a claim that was handed out, and stays known after its end.
type claim struct {
	text   string
	worker string
	of     *Handle
	token  int64
	// until is the end of the lease.
	until  time.Time
	length time.Duration
	held   bool
	// lost is why the claim is no longer the worker's; empty: it is.
	lost      string
	cancelled string
	report    string
	answer    []byte
}

// New starts a gateway that ends with the test.
func New(t testing.TB) *Gateway {
	g := &Gateway{
		t: t, changed: make(chan struct{}), lease: 15 * time.Second,
		polls: map[string][]*claim{}, claims: map[string]*claim{},
		workers: map[string]registerBody{}, orders: map[string]pollBody{}, faults: map[Route]*fault{},
	}
	g.server = httptest.NewServer(g.routes())
	g.URL = g.server.URL
	t.Cleanup(g.server.Close)
	return g
}

// RunWorker runs a worker until the test ends or stop is called, and waits until its drain is over.
func RunWorker(t testing.TB, w *backstep.Worker) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- w.Run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(stop)
	return stop
}

// SetLease has claims live for d without a heartbeat. A real gateway takes 10 s and more. Default:
// 15 s.
func (g *Gateway) SetLease(d time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.lease = d
}

// SetHeartbeat asks for heartbeats each d. Default: a third of the lease.
func (g *Gateway) SetHeartbeat(d time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.beat = d
}

// Add has an action handed out to the worker that asks for it.
func (g *Gateway) Add(a Action) *Handle {
	g.mu.Lock()
	defer g.mu.Unlock()
	h := &Handle{gateway: g, action: g.completed(a), ready: true, attempt: 1}
	g.actions = append(g.actions, h)
	g.change()
	return h
}

// completed gives an action what was left out.
func (g *Gateway) completed(a Action) Action {
	if a.TaskID == "" {
		g.tasks++
		a.TaskID = fmt.Sprintf("task-%d", g.tasks)
	}
	setDefault(&a.Flow, "test")
	setDefault(&a.Step, a.Command)
	setDefault(&a.Run, a.Step)
	setDefault(&a.Direction, backstep.Normal)
	forward := fmt.Sprintf("%s/%s/normal", a.TaskID, a.Run)
	if a.Direction == backstep.Rollback {
		setDefault(&a.ForwardKey, forward)
		forward = fmt.Sprintf("%s/%s/rollback", a.TaskID, a.Run)
	}
	setDefault(&a.IdempotencyKey, forward)
	setDefault(&a.Timeout, time.Minute)
	if a.FencingToken == 0 {
		a.FencingToken = g.nextToken()
	}
	if a.Parameters == nil {
		a.Parameters = map[string]any{}
	}
	return a
}

func setDefault[T comparable](member *T, value T) {
	var zero T
	if *member == zero {
		*member = value
	}
}

// NextToken returns a fencing token that is higher than all before, and lower than all after it.
func (g *Gateway) NextToken() int64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.nextToken()
}

func (g *Gateway) nextToken() int64 {
	g.tokens++
	return g.tokens
}

// Do adds an action and waits for its outcome.
func (g *Gateway) Do(a Action) Outcome { return g.Add(a).Wait() }

// Wait returns the outcome of the action once there is one.
func (h *Handle) Wait() Outcome {
	h.gateway.t.Helper()
	h.waitUntil("has an outcome", func() bool { return h.outcome != nil })
	return *h.outcome
}

// WaitStarted waits until the action has been handed out n times, counted from its first claim.
func (h *Handle) WaitStarted(n int) {
	h.gateway.t.Helper()
	h.waitUntil(fmt.Sprintf("was handed out %d times", n), func() bool { return h.starts >= n })
}

// WaitLate waits for a report that came after the claim had been lost, and returns its verb.
func (h *Handle) WaitLate() string {
	h.gateway.t.Helper()
	h.waitUntil("has a late report", func() bool { return len(h.late) > 0 })
	return h.late[0]
}

// WaitLogged waits until the attempts of the action have logged n lines, and returns them all.
func (h *Handle) WaitLogged(n int) []string {
	h.gateway.t.Helper()
	h.waitUntil(fmt.Sprintf("has %d lines", n), func() bool { return len(h.log) >= n })
	return append([]string(nil), h.log...)
}

// WaitProgress waits until the action has told about itself n times, and returns all of it.
func (h *Handle) WaitProgress(n int) []Progress {
	h.gateway.t.Helper()
	h.waitUntil(fmt.Sprintf("told of %d", n), func() bool { return len(h.progress) >= n })
	return append([]Progress(nil), h.progress...)
}

// IdempotencyKey is that of the action.
func (h *Handle) IdempotencyKey() string { return h.action.IdempotencyKey }

// WaitBeats waits until n heartbeats of the action's claims have been confirmed.
func (h *Handle) WaitBeats(n int) {
	h.gateway.t.Helper()
	h.waitUntil(fmt.Sprintf("has %d heartbeats", n), func() bool { return h.beats >= n })
}

// Beats is how many heartbeats of the action's claims have been confirmed.
func (h *Handle) Beats() int {
	h.gateway.mu.Lock()
	defer h.gateway.mu.Unlock()
	return h.beats
}

// Starts is how often the action was handed out.
func (h *Handle) Starts() int {
	h.gateway.mu.Lock()
	defer h.gateway.mu.Unlock()
	return h.starts
}

func (h *Handle) waitUntil(what string, is func() bool) {
	h.gateway.t.Helper()
	deadline := time.After(Patience)
	for {
		h.gateway.mu.Lock()
		changed, yes := h.gateway.changed, is()
		h.gateway.mu.Unlock()
		if yes {
			return
		}
		select {
		case <-changed:
		case <-deadline:
			h.gateway.t.Fatalf("no action %s.%s that %s", h.action.Module, h.action.Command, what)
		}
	}
}

// change wakes all that wait for something.
func (g *Gateway) change() {
	close(g.changed)
	g.changed = make(chan struct{})
}

// WaitGone waits until no worker is registered: each has said good-bye.
func (g *Gateway) WaitGone() {
	g.t.Helper()
	h := &Handle{gateway: g}
	h.waitUntil("is over", func() bool { return len(g.workers) == 0 })
}

// statusOf is for faults that are refusals.
func statusOf(status int) string { return http.StatusText(status) }
