package backsteptest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	backstep "backstep.example/clients/go"
)

type object = map[string]any

const (
	// messageBytes is the most that a gateway takes of a message.
	messageBytes = 8 << 10
	// commandsMax is the most names of commands that it takes with a poll.
	commandsMax = 200
)

// problem is the body of a refusal.
type problem struct {
	Status   int    `json:"status"`
	Code     string `json:"code"`
	Detail   string `json:"detail"`
	Reason   string `json:"reason,omitempty"`
	Recorded bool   `json:"recorded,omitempty"`
}

func (g *Gateway) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("PUT /v1/workers/{worker}", g.faulty(Register, g.register))
	mux.HandleFunc("DELETE /v1/workers/{worker}", g.faulty(Goodbye, g.sayGoodbye))
	mux.HandleFunc("POST /v1/work:poll", g.faulty(Poll, g.poll))
	mux.HandleFunc("POST /v1/work:heartbeat", g.faulty(Heartbeat, g.heartbeat))
	mux.HandleFunc("POST /v1/work/{claim}", g.faulty(Report, g.report))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		if number := r.Header.Get("Backstep-Worker-Protocol"); number != "1" {
			refuse(w, problem{Status: 400, Code: "PROTOCOL_UNSUPPORTED", Detail: number})
			return
		}
		mux.ServeHTTP(w, r)
	})
}

type registerBody struct {
	Modules map[string]map[string]struct {
		Parameters object
		Secrets    []string
	}
	Build string
	Slots int
	Host  string
	SDK   string
}

func (g *Gateway) register(w http.ResponseWriter, r *http.Request) {
	var body registerBody
	if !read(w, r, &body) {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.workers[r.PathValue("worker")] = body
	answer(w, object{"heartbeatMs": g.beatMs()})
}

func (g *Gateway) beatMs() int64 {
	if g.beat > 0 {
		return g.beat.Milliseconds()
	}
	return g.lease.Milliseconds() / 3
}

func (g *Gateway) sayGoodbye(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	defer g.mu.Unlock()
	name := r.PathValue("worker")
	delete(g.workers, name)
	for _, h := range g.actions {
		if h.claim != nil && h.claim.worker == name {
			h.loseLease("handed_back")
		}
	}
	g.change()
	w.WriteHeader(http.StatusNoContent)
}

type pollBody struct {
	Modules  []string
	Commands []string
	Worker   string
	Max      int
	Wait     string
	Lease    string
	PollID   string `json:"pollId"`
	Build    string
}

func (g *Gateway) poll(w http.ResponseWriter, r *http.Request) {
	body := pollBody{Max: 1, Wait: "20s", Lease: "30s"}
	if !read(w, r, &body) {
		return
	}
	wait, err := time.ParseDuration(body.Wait)
	if err != nil || wait > 30*time.Second || body.Max < 1 || body.Max > 100 || body.Worker == "" ||
		len(body.Commands) > commandsMax {
		refuse(w, problem{Status: 400, Code: "INVALID_REQUEST", Detail: fmt.Sprintf("%+v", body)})
		return
	}
	arrived := time.Now()
	g.mu.Lock()
	g.asked++
	g.mu.Unlock()
	ctx, cancel := context.WithTimeout(r.Context(), wait)
	defer cancel()
	for {
		g.mu.Lock()
		g.orders[body.Worker] = body
		items := g.itemsFor(body, arrived)
		changed, drained, lease := g.changed, g.drained, g.lease
		g.mu.Unlock()
		if len(items) > 0 || drained || ctx.Err() != nil {
			answer(w, object{"items": items, "drain": drained, "unknownMember": true})
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
		// Leases may be over by then.
		case <-time.After(lease / 3):
		}
	}
}

// itemsFor claims what a poll may have. The lock is held.
func (g *Gateway) itemsFor(body pollBody, arrived time.Time) []object {
	g.expire()
	items := []object{}
	if g.drained {
		return items
	}
	if known, is := g.polls[body.PollID]; is && body.PollID != "" {
		for _, c := range known {
			if c.lost == "" && c.report == "" {
				items = append(items, g.itemOf(c, arrived))
			}
		}
		return items
	}
	var claimed []*claim
	for _, h := range g.actions {
		if len(items) == body.Max || !h.ready || !fits(h.action, body) {
			continue
		}
		c := g.claimFor(h, body.Worker)
		claimed = append(claimed, c)
		items = append(items, g.itemOf(c, arrived))
	}
	if len(claimed) > 0 && body.PollID != "" {
		g.polls[body.PollID] = claimed
	}
	return items
}

func fits(a Action, body pollBody) bool {
	isCommand := len(body.Commands) == 0 || slices.Contains(body.Commands, a.Command)
	return isCommand && slices.Contains(body.Modules, a.Module)
}

// claimFor makes a claim of an action, or finds that which is to be repeated. The lock is held.
func (g *Gateway) claimFor(h *Handle, worker string) *claim {
	h.ready = false
	if h.claim != nil {
		return h.claim
	}
	h.starts++
	h.token = h.action.FencingToken
	if h.starts > 1 {
		h.token = g.nextToken()
	}
	// A claim is opaque, and need not look like a part of a path.
	c := &claim{
		text: fmt.Sprintf("claim/%d?%s", h.token, h.action.TaskID), worker: worker, of: h,
		token: h.token, length: g.lease, until: time.Now().Add(g.lease),
	}
	h.claim = c
	g.claims[c.text] = c
	g.change()
	return c
}

func (g *Gateway) itemOf(c *claim, arrived time.Time) object {
	a := c.of.action
	results := a.Results
	if results == nil {
		results = object{}
	}
	made := object{
		"claim": c.text, "taskId": a.TaskID, "flow": a.Flow, "step": a.Step, "run": a.Run,
		"direction": a.Direction, "module": a.Module, "command": a.Command,
		"parameters": a.Parameters, "labels": a.Labels, "results": results,
		"attempt": c.of.attempt, "idempotencyKey": a.IdempotencyKey, "fencingToken": c.token,
		"completionToken": "completion-" + a.TaskID, "confirm": a.Confirm,
		"waitedMs":          time.Since(arrived).Milliseconds(),
		"leaseMs":           time.Until(c.until).Milliseconds(),
		"attemptTimeLeftMs": a.Timeout.Milliseconds(),
		"timeLeftMs":        (time.Hour + a.Timeout).Milliseconds(),
		"unknownMember":     true,
	}
	if a.Direction == backstep.Rollback {
		made["forwardKey"] = a.ForwardKey
		made["forward"] = a.Undoes
	}
	return made
}

type pulseBody struct {
	Worker string
	Claims []struct {
		Claim      string
		Progress   *Progress
		Log        []logLine
		LogDropped int
	}
}

type logLine struct {
	Level   string
	Message string
	AgoMs   int64
}

func (g *Gateway) heartbeat(w http.ResponseWriter, r *http.Request) {
	var body pulseBody
	if !read(w, r, &body) {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.expire()
	states := []object{}
	for _, pulse := range body.Claims {
		c := g.claims[pulse.Claim]
		if c == nil || c.worker != body.Worker {
			refuse(w, problem{Status: 403, Code: "WRONG_CLAIM"})
			return
		}
		c.of.keep(pulse.Log)
		if pulse.Progress != nil {
			c.of.progress = append(c.of.progress, *pulse.Progress)
		}
		states = append(states, g.stateOf(c))
	}
	g.change()
	answer(w, object{"claims": states, "heartbeatMs": g.beatMs()})
}

// stateOf renews a claim and tells its state.
func (g *Gateway) stateOf(c *claim) object {
	state := object{"claim": c.text}
	switch {
	case c.report != "":
		state["state"] = "ended"
	case c.lost != "":
		state["state"], state["reason"] = "lost", c.lost
	case c.cancelled != "":
		state["state"], state["reason"], state["stopWithinMs"] = "cancelled", c.cancelled, 10_000
	default:
		c.held = true
		c.of.beats++
		c.until = time.Now().Add(c.length)
		state["state"], state["leaseMs"] = "held", c.length.Milliseconds()
	}
	return state
}

func (h *Handle) keep(lines []logLine) {
	for _, line := range lines {
		h.log = append(h.log, line.Message)
	}
}

type reportBody struct {
	Output     json.RawMessage
	Code       string
	Message    string
	Retryable  *bool
	After      string
	Timeout    string
	Reason     string
	Log        []logLine
	LogDropped int
	Poll       *struct{ Max int }
}

func (g *Gateway) report(w http.ResponseWriter, r *http.Request) {
	var body reportBody
	if !read(w, r, &body) {
		return
	}
	path := r.PathValue("claim")
	cut := strings.LastIndex(path, ":")
	text, verb := path[:max(cut, 0)], path[cut+1:]
	arrived := time.Now()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.expire()
	c := g.claims[text]
	if c == nil {
		refuse(w, problem{Status: 403, Code: "WRONG_CLAIM"})
		return
	}
	if p := g.settle(c, verb, body); p != nil {
		refuse(w, *p)
		return
	}
	said := object{"taskStatus": "running"}
	if body.Poll != nil {
		order := g.orders[c.worker]
		order.PollID, order.Max = "", body.Poll.Max
		said["items"] = g.itemsFor(order, arrived)
	}
	answer(w, said)
}

// settle takes an outcome; a refusal is returned. The lock is held.
func (g *Gateway) settle(c *claim, verb string, body reportBody) *problem {
	same := fmt.Sprintf("%s %s %s %s %s", verb, body.Output, body.Code, body.Message, body.After)
	h := c.of
	switch {
	case c.report == same:
		return nil
	case c.report != "":
		return &problem{Status: 409, Code: "OUTCOME_DIFFERS"}
	case c.lost != "":
		h.late = append(h.late, verb)
		g.change()
		return &problem{Status: 409, Code: "LEASE_LOST", Reason: c.lost, Recorded: true}
	}
	after, err := time.ParseDuration(orZero(body.After))
	timeout, timeoutErr := time.ParseDuration(orZero(body.Timeout))
	if err != nil || timeoutErr != nil || after < 0 || timeout < 0 {
		return &problem{Status: 400, Code: "INVALID_REQUEST", Detail: "/after"}
	}
	if len(body.Message) > messageBytes {
		return &problem{Status: 400, Code: "INVALID_REQUEST", Detail: "/message"}
	}
	c.report = same
	h.claim = nil
	h.keep(body.Log)
	retryable := body.Retryable != nil && *body.Retryable
	switch {
	case verb == "again" || verb == "release":
		h.ready = true
	case verb == "fail" && retryable && h.attempt <= h.action.Retries:
		h.ready = true
		h.attempt++
	default:
		h.outcome = &Outcome{
			Verb: verb, Output: body.Output, Secrets: g.workers[c.worker].Modules[h.action.Module][h.action.Command].Secrets, Code: body.Code,
			Message: body.Message, Retryable: retryable, After: after, Attempt: h.attempt,
		}
		if verb == "later" {
			h.outcome.After = timeout
		}
	}
	g.change()
	return nil
}

func orZero(text string) string {
	if text == "" {
		return "0s"
	}
	return text
}

// read reads a body as strictly as a gateway does.
func read(w http.ResponseWriter, r *http.Request, body any) bool {
	decoder := json.NewDecoder(r.Body)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(body); err != nil {
		refuse(w, problem{Status: 400, Code: "INVALID_REQUEST", Detail: err.Error()})
		return false
	}
	return true
}

func answer(w http.ResponseWriter, body any) {
	text, err := json.Marshal(body)
	if err != nil {
		refuse(w, problem{Status: 500, Code: "INTERNAL", Detail: err.Error()})
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	_, _ = w.Write(text)
}

func refuse(w http.ResponseWriter, p problem) {
	text, _ := json.Marshal(p)
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(p.Status)
	_, _ = w.Write(text)
}
