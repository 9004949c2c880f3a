package backstep

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"sync"
	"time"
)

// attempt is one claim while this worker has it.
type attempt struct {
	item   *item
	record *attemptRecord
	ctx    context.Context
	cancel context.CancelCauseFunc
	// free ends the timers of the contexts.
	free func()
	// late: the lease may have been over before the answer was read, so it must be asked first.
	late bool

	mu sync.Mutex
	// sent is when the request was sent by whose answer the lease is known, and lease its length.
	sent  time.Time
	lease time.Duration
	// held is closed by the first heartbeat that the gateway confirms.
	held   chan struct{}
	isHeld bool
	// isAsked: a heartbeat of the claim was answered, whatever the answer.
	isAsked bool
	// gone: the gateway knows the claim no more, so no heartbeat is due.
	gone bool
	stop *time.Timer
}

// stopAt is the part of a lease after which work stops unless it was renewed.
const stopAt = 0.9

func (s *service) newAttempt(ctx context.Context, i *item, sent time.Time) *attempt {
	a := &attempt{
		item: i, record: newRecord(i, s.secretNames(), s.log),
		sent: sent, lease: millis(i.LeaseMs), held: make(chan struct{}),
	}
	a.ctx, a.free = withDeadlines(ctx, i, sent)
	a.ctx, a.cancel = context.WithCancelCause(a.ctx)
	left := time.Until(sent.Add(part(a.lease, stopAt)))
	if left <= 0 {
		a.late = true
		left = part(a.lease, stopAt)
	}
	a.stop = time.AfterFunc(left, a.loseLease)
	return a
}

// withDeadlines ends with the time of the attempt, or with that of the whole action if it is
// earlier.
func withDeadlines(ctx context.Context, i *item, sent time.Time) (context.Context, func()) {
	left := i.AttemptLeftMs
	if i.TimeLeftMs != nil && (left == nil || *i.TimeLeftMs < *left) {
		left = i.TimeLeftMs
	}
	if left == nil {
		return ctx, func() {}
	}
	return context.WithDeadline(ctx, sent.Add(millis(*left)))
}

func part(d time.Duration, of float64) time.Duration { return time.Duration(float64(d) * of) }

func (a *attempt) loseLease() { a.cancel(&Cancelled{Reason: "lease_lost", err: ErrLeaseLost}) }

// renew counts the lease from a heartbeat that the gateway has confirmed.
func (a *attempt) renew(sent time.Time, lease time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if lease > 0 {
		a.lease = lease
	}
	a.sent = sent
	a.stop.Reset(max(time.Until(sent.Add(part(a.lease, stopAt))), 0))
	if !a.isHeld {
		a.isHeld = true
		close(a.held)
	}
}

// close ends everything that belongs to the attempt.
func (a *attempt) close() {
	a.stop.Stop()
	a.cancel(nil)
	a.free()
}

func (a *attempt) setGone() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.gone = true
}

func (a *attempt) isGone() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.gone
}

func (a *attempt) leaseLength() time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.lease
}

// carryOut does one action in a slot: it runs the command, reports the outcome, and begins what
// the answer brings.
func (s *service) carryOut(ctx context.Context, a *attempt) {
	defer s.working.Done()
	var next []item
	var sent time.Time
	if s.mayBegin(a) {
		next, sent = s.report(ctx, a, s.outcomeOf(a))
	} else if !a.isGone() {
		next, sent = s.report(ctx, a, outcome{"release", report{Reason: "not begun"}})
	}
	s.claims.remove(a)
	s.accept(ctx, next, sent, 1)
}

// mayBegin waits for a heartbeat where the action must not begin without one.
func (s *service) mayBegin(a *attempt) bool {
	if !a.item.Confirm && !a.late {
		return true
	}
	s.claims.wake()
	select {
	case <-a.held:
		return a.ctx.Err() == nil
	case <-a.ctx.Done():
		return false
	}
}

// handBack returns an action that was not begun.
func (s *service) handBack(ctx context.Context, a *attempt, why string) {
	defer s.working.Done()
	s.report(ctx, a, outcome{"release", report{Reason: why}})
	s.claims.remove(a)
}

// outcomeOf runs the command of an attempt to its end.
func (s *service) outcomeOf(a *attempt) outcome {
	h, has := s.handlerOf(a.item)
	if !has {
		err := fmt.Errorf("this worker has no command %s.%s", a.item.Module, a.item.Command)
		return failure(err, "UNKNOWN_COMMAND", false)
	}
	step := stepOf(a.item)
	step.record = a.record
	output, err := callCommand(a.ctx, step, h)
	if err == nil {
		return outcome{"complete", report{Output: output}}
	}
	cause := context.Cause(a.ctx)
	if errors.Is(cause, context.DeadlineExceeded) && errors.Is(err, cause) {
		return failure(err, timedOut, true)
	}
	var cancelled *Cancelled
	if errors.As(cause, &cancelled) && isOf(err, cancelled) {
		if cancelled.err != nil {
			return outcome{"release", report{Reason: cancelled.Reason}}
		}
		return failure(fmt.Errorf("stopped, as the action was cancelled: %s", cancelled.Reason), "", true)
	}
	o := outcomeOf(err)
	o.Message = a.record.secret.Replace(o.Message)
	return o
}

// isOf says whether a command returned because its context was cancelled.
func isOf(err error, cancelled *Cancelled) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, cancelled)
}

// callCommand calls a command. A panic is an error, also one of the error that it returns, and so is
// runtime.Goexit, which a command of a test may call by FailNow.
func callCommand(ctx context.Context, step Step, h handler) (output json.RawMessage, err error) {
	done := make(chan struct{})
	err = errors.New("the command ended its goroutine")
	go func() {
		defer close(done)
		defer func() {
			if cause := recover(); cause != nil {
				err = fmt.Errorf("panic: %v", cause)
				// The handlers of the log are the program's, and may be what panicked.
				defer func() { _ = recover() }()
				step.Log().Error("panic", "cause", cause, "stack", string(debug.Stack()))
			}
		}()
		if output, err = h.run(ctx, step); err != nil {
			// A nil pointer as an error, or within one, panics here and nowhere else.
			_, _, _ = err.Error(), errors.Is(err, context.Canceled), outcomeOf(err)
		}
	}()
	<-done
	return output, err
}

// reportLeases is how many leases long an outcome is reported before it is given up.
const reportLeases = 3

// report sends an outcome until it is answered. It returns the actions that the answer brings, and
// when the request was sent.
func (s *service) report(ctx context.Context, a *attempt, o outcome) ([]item, time.Time) {
	until := time.Now().Add(reportLeases * max(a.leaseLength(), s.lease))
	var pause backoff
	for {
		next, sent, err := s.tell(ctx, a, o)
		if err == nil {
			return next, sent
		}
		var p *Problem
		if errors.As(err, &p) && !p.isPassing() {
			return s.refused(ctx, a, o, p)
		}
		if ctx.Err() != nil {
			// The worker has said good-bye, and nobody waits for this outcome.
			return nil, sent
		}
		s.complain("cannot report an outcome", err)
		left := time.Until(until)
		if left <= 0 {
			s.log.Error("backstep: gave up reporting an outcome",
				"task", a.item.TaskID, "run", a.item.Run, "outcome", o.verb, "error", err)
			return nil, sent
		}
		// The last try comes at the end of the time: the pauses before it may have grown long.
		sleep(ctx, min(pause.after(err), left))
	}
}

// tell sends an outcome once, with the rest of the attempt's log.
func (s *service) tell(ctx context.Context, a *attempt, o outcome) ([]item, time.Time, error) {
	words := a.record.take(logBytes)
	body := o.report
	body.Log, body.LogDropped = words.wire(), words.dropped
	if o.verb != "release" && !s.isStopping() {
		body.Poll = &nextOrder{Max: 1}
	}
	var answer delivery
	sent := time.Now()
	err := s.gateway.send(ctx, call{
		http.MethodPost, claimPath(a.item.Claim, o.verb), body, &answer, socketReserve,
	})
	if err != nil {
		a.record.giveBack(words)
	}
	return answer.Items, sent, err
}

// refused takes note of an outcome that the gateway does not take. One that can never be right,
// such as an output that is too large, fails the step, and a failure is told in other words: else
// the action would run again and again.
func (s *service) refused(ctx context.Context, a *attempt, o outcome, p *Problem) ([]item, time.Time) {
	s.log.Warn("backstep: an outcome was not accepted",
		"task", a.item.TaskID, "run", a.item.Run, "outcome", o.verb, "error", p)
	isSettled := p.Status == http.StatusConflict || p.Status == http.StatusGone ||
		p.Status == http.StatusUnprocessableEntity || p.Status == http.StatusForbidden
	if isSettled || o.verb == "release" || o.Message == refusedWords {
		return nil, time.Time{}
	}
	if o.verb == "fail" {
		// Its words are at fault, or the log that came with them.
		a.record.take(logBytes)
		o.Message = refusedWords
		return s.report(ctx, a, o)
	}
	code := ""
	if p.Status == http.StatusRequestEntityTooLarge {
		code = outputTooLarge
	}
	return s.report(ctx, a, failure(fmt.Errorf("the outcome was refused: %w", p), code, false))
}
