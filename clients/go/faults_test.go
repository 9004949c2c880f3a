package backstep_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	backstep "backstep.example/clients/go"
	"backstep.example/clients/go/backsteptest"
)

// gated is a worker with a command that tells of its start and waits for its gate.
type gated struct {
	*backstep.Worker
	started chan backstep.Step
	gate    chan struct{}
	// causes has why the contexts of its attempts ended.
	causes chan error
}

func newGated(g *backsteptest.Gateway, options ...backstep.Option) *gated {
	w := &gated{
		newWorker(g, options...),
		make(chan backstep.Step, 100), make(chan struct{}, 100), make(chan error, 100),
	}
	act(w.Worker, "wait", func(ctx context.Context, s backstep.Step) (map[string]any, error) {
		w.started <- s
		select {
		case <-w.gate:
			return map[string]any{"attempt": s.Attempt}, nil
		case <-ctx.Done():
			w.causes <- context.Cause(ctx)
			return nil, ctx.Err()
		}
	})
	return w
}

var wait = backsteptest.Action{Module: "mysql", Command: "wait"}

func TestALostAnswerToAPollIsAskedForAgain(t *testing.T) {
	g := backsteptest.New(t)
	w := newGated(g)
	g.LoseAnswers(backsteptest.Poll, 1)
	h := g.Add(wait)
	backsteptest.RunWorker(t, w.Worker)
	<-w.started
	w.gate <- struct{}{}
	if got := h.Wait(); got.Verb != "complete" || h.Starts() != 1 {
		t.Errorf("got %+v after %d claims", got, h.Starts())
	}
}

func TestALostAnswerToAnOutcomeIsAskedForAgain(t *testing.T) {
	g := backsteptest.New(t)
	w := newGated(g)
	g.LoseAnswers(backsteptest.Report, 2)
	h, next := g.Add(wait), g.Add(wait)
	backsteptest.RunWorker(t, w.Worker)
	w.gate <- struct{}{}
	w.gate <- struct{}{}
	if got := h.Wait(); got.Verb != "complete" || h.Starts() != 1 {
		t.Errorf("got %+v after %d claims", got, h.Starts())
	}
	next.Wait()
	if n := len(w.started); n != 2 {
		t.Errorf("two actions began %d times", n)
	}
}

func TestARepeatedItemBeginsOnce(t *testing.T) {
	g := backsteptest.New(t)
	w := newGated(g)
	h := g.Add(wait)
	backsteptest.RunWorker(t, w.Worker)
	<-w.started
	h.Repeat()
	// It comes after the repeated one, so that one has been looked at.
	g.Add(wait)
	<-w.started
	w.gate <- struct{}{}
	w.gate <- struct{}{}
	h.Wait()
	if n := len(w.started); n != 0 {
		t.Errorf("it began %d times more", n)
	}
}

func TestALostLeaseEndsTheContextAndTheLateReportIsMade(t *testing.T) {
	g := backsteptest.New(t)
	g.SetHeartbeat(50 * time.Millisecond)
	w := newGated(g)
	h := g.Add(wait)
	backsteptest.RunWorker(t, w.Worker)
	<-w.started
	// The claim is held, so that its end costs an attempt.
	h.WaitBeats(1)
	h.LoseLease("timed_out")
	if cause := <-w.causes; !errors.Is(cause, backstep.ErrLeaseLost) {
		t.Errorf("the cause is %v", cause)
	}
	if verb := h.WaitLate(); verb != "release" {
		t.Errorf("the late report is %s", verb)
	}
	w.gate <- struct{}{}
	if got := h.Wait(); string(got.Output) != `{"attempt":2}` {
		t.Errorf("got %+v", got)
	}
}

func TestWorkStopsWhenNoHeartbeatWasAnsweredForNineTenthsOfTheLease(t *testing.T) {
	g := backsteptest.New(t)
	g.SetLease(time.Second)
	w := newGated(g)
	g.Refuse(backsteptest.Heartbeat, 1000, 503, "")
	g.Add(wait)
	stop := backsteptest.RunWorker(t, w.Worker)
	<-w.started
	began := time.Now()
	var cancelled *backstep.Cancelled
	if cause := <-w.causes; !errors.As(cause, &cancelled) || cancelled.Reason != "lease_lost" {
		t.Errorf("the cause is %v", cause)
	}
	if after := time.Since(began); after > backsteptest.Patience/2 {
		t.Errorf("it stopped after %s", after)
	}
	w.gate <- struct{}{}
	stop()
}

func TestAFailedHeartbeatIsFollowedByAnother(t *testing.T) {
	g := backsteptest.New(t)
	g.SetHeartbeat(50 * time.Millisecond)
	w := newGated(g)
	g.LoseAnswers(backsteptest.Heartbeat, 1)
	h := g.Add(wait)
	backsteptest.RunWorker(t, w.Worker)
	<-w.started
	h.WaitBeats(4)
	w.gate <- struct{}{}
	if got := h.Wait(); got.Attempt != 1 || h.Starts() != 1 {
		t.Errorf("got %+v after %d claims", got, h.Starts())
	}
}

func TestAHeartbeatWhoseWordsAreRefusedIsFollowedByOneWithoutThem(t *testing.T) {
	g := backsteptest.New(t)
	g.SetHeartbeat(20 * time.Millisecond)
	g.SetLease(300 * time.Millisecond)
	w := newGated(g)
	for _, status := range []int{400, 413} {
		act(w.Worker, fmt.Sprint("say", status),
			func(_ context.Context, s backstep.Step) (map[string]any, error) {
				s.Log().Info("too much")
				s.Progress(1, "too much")
				<-w.gate
				return nil, nil
			})
	}
	backsteptest.RunWorker(t, w.Worker)
	for _, status := range []int{400, 413} {
		g.Refuse(backsteptest.Heartbeat, 1, status, "")
		h := g.Add(backsteptest.Action{Module: "mysql", Command: fmt.Sprint("say", status)})
		h.WaitBeats(2)
		w.gate <- struct{}{}
		if got := h.Wait(); got.Verb != "complete" || h.Starts() != 1 || len(h.WaitLogged(0)) > 0 {
			t.Errorf("after %d: got %+v, and %q", status, got, h.WaitLogged(0))
		}
	}
}

func TestACancelledActionEndsWithTheReason(t *testing.T) {
	g := backsteptest.New(t)
	g.SetHeartbeat(50 * time.Millisecond)
	w := newGated(g)
	h := g.Add(wait)
	backsteptest.RunWorker(t, w.Worker)
	<-w.started
	h.Cancel("terminated")
	var cancelled *backstep.Cancelled
	if cause := <-w.causes; !errors.As(cause, &cancelled) || cancelled.Reason != "terminated" {
		t.Errorf("the cause is %v", cause)
	}
	if got := h.Wait(); got.Verb != "fail" || !strings.Contains(got.Message, "terminated") {
		t.Errorf("got %+v", got)
	}
}

func TestAnActionThatMustBeConfirmedBeginsWithAnAnsweredHeartbeat(t *testing.T) {
	g := backsteptest.New(t)
	w := newGated(g)
	g.Refuse(backsteptest.Heartbeat, 2, 503, "0")
	confirmed := wait
	confirmed.Confirm = true
	h := g.Add(confirmed)
	backsteptest.RunWorker(t, w.Worker)
	g.WaitFaults(backsteptest.Heartbeat)
	h.WaitBeats(1)
	<-w.started
	w.gate <- struct{}{}
	h.Wait()
}

func TestAnActionThatIsNeverConfirmedNeverBegins(t *testing.T) {
	g := backsteptest.New(t)
	g.SetLease(300 * time.Millisecond)
	w := newGated(g)
	confirmed := wait
	confirmed.Confirm = true
	g.Refuse(backsteptest.Heartbeat, 1000, 503, "")
	h := g.Add(confirmed)
	stop := backsteptest.RunWorker(t, w.Worker)
	h.WaitStarted(2)
	stop()
	if n := len(w.started); n > 0 {
		t.Errorf("it began %d times", n)
	}
}

func TestAWorkerThatStopsEndsItsWorkWithHeartbeats(t *testing.T) {
	g := backsteptest.New(t)
	g.SetHeartbeat(50 * time.Millisecond)
	w := newGated(g)
	h := g.Add(wait)
	stop := backsteptest.RunWorker(t, w.Worker)
	<-w.started
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		stop()
	}()
	h.WaitBeats(h.Beats() + 4)
	other := g.Add(wait)
	w.gate <- struct{}{}
	<-ended
	if got := h.Wait(); got.Attempt != 1 || h.Starts() != 1 {
		t.Errorf("got %+v after %d claims", got, h.Starts())
	}
	if other.Starts() != 0 {
		t.Error("it asked for more work")
	}
	g.WaitGone()
}

func TestWhatRunsWhenTheGraceIsOverIsHandedBack(t *testing.T) {
	g := backsteptest.New(t)
	w := newGated(g, backstep.Grace(time.Millisecond))
	h := g.Add(wait)
	stop := backsteptest.RunWorker(t, w.Worker)
	<-w.started
	stop()
	if cause := <-w.causes; !errors.Is(cause, backstep.ErrStopping) {
		t.Errorf("the cause is %v", cause)
	}
	other := newGated(g)
	other.gate <- struct{}{}
	backsteptest.RunWorker(t, other.Worker)
	// The poll of a stopped worker may be handed the action before its end is noticed.
	if got := h.Wait(); got.Attempt != 1 || h.Starts() < 2 {
		t.Errorf("got %+v after %d claims", got, h.Starts())
	}
}

func TestWhatDoesNotHearThatTheGraceIsOverIsHandedBack(t *testing.T) {
	g := backsteptest.New(t)
	w := newWorker(g, backstep.Grace(time.Millisecond))
	backstep.SetDeaf(w, time.Millisecond)
	started, gate := make(chan struct{}), make(chan struct{})
	act(w, "wait", func(context.Context, backstep.Step) (map[string]any, error) {
		close(started)
		<-gate
		return nil, nil
	})
	h := g.Add(wait)
	stop := backsteptest.RunWorker(t, w)
	<-started
	letGo := sync.OnceFunc(func() { close(gate) })
	defer letGo()
	time.AfterFunc(5*time.Second, letGo)
	begun := time.Now()
	stop()
	if took := time.Since(begun); took >= 5*time.Second {
		t.Errorf("it stopped after %s, when its action had", took)
	}
	other := newGated(g)
	other.gate <- struct{}{}
	backsteptest.RunWorker(t, other.Worker)
	if got := h.Wait(); got.Verb != "complete" || h.Starts() < 2 {
		t.Errorf("got %+v after %d claims", got, h.Starts())
	}
}

func TestAGatewayThatIsAwayIsAskedAgain(t *testing.T) {
	g := backsteptest.New(t)
	w := newGated(g)
	g.Refuse(backsteptest.Register, 1, 503, "0.01")
	g.Refuse(backsteptest.Poll, 1, 429, "0.01")
	g.Refuse(backsteptest.Report, 1, 502, "")
	h := g.Add(wait)
	backsteptest.RunWorker(t, w.Worker)
	w.gate <- struct{}{}
	if got := h.Wait(); got.Verb != "complete" || h.Starts() != 1 {
		t.Errorf("got %+v after %d claims", got, h.Starts())
	}
}

func TestAnOutputThatIsRefusedFailsTheStep(t *testing.T) {
	g := backsteptest.New(t)
	w := newGated(g)
	g.Refuse(backsteptest.Report, 1, 413, "")
	h := g.Add(wait)
	backsteptest.RunWorker(t, w.Worker)
	w.gate <- struct{}{}
	if got := h.Wait(); got.Code != "OUTPUT_TOO_LARGE" || got.Retryable {
		t.Errorf("got %+v", got)
	}
}

func TestAnAnswerThatIsNotOfTheGatewayDecidesNoOutcome(t *testing.T) {
	g := backsteptest.New(t)
	w := newWorker(g)
	act(w, "give", func(context.Context, backstep.Step) (map[string]any, error) { return nil, nil })
	backsteptest.RunWorker(t, w)
	for _, status := range []int{302, 307, 404, 405, 421} {
		g.Refuse(backsteptest.Report, 1, status, "")
		if got := g.Do(backsteptest.Action{Module: "mysql", Command: "give"}); got.Verb != "complete" {
			t.Errorf("after %d: %+v", status, got)
		}
	}
}

func TestAFailureWhoseTextIsNotUTF8EndsTheAction(t *testing.T) {
	g := backsteptest.New(t)
	w := newWorker(g)
	act(w, "x", func(context.Context, backstep.Step) (map[string]any, error) {
		return nil, errors.New(strings.Repeat("\xffä", 3000))
	})
	h := g.Add(backsteptest.Action{Module: "mysql", Command: "x"})
	backsteptest.RunWorker(t, w)
	got := h.Wait()
	if !strings.HasPrefix(got.Message, "\uFFFDä\uFFFDä") || !strings.HasSuffix(got.Message, "…") ||
		h.Starts() != 1 {
		t.Errorf("got %+v after %d claims", got, h.Starts())
	}
}

func TestAFailureThatIsRefusedIsToldInOtherWordsWithoutALog(t *testing.T) {
	for _, status := range []int{400, 413} {
		g := backsteptest.New(t)
		w := newWorker(g)
		act(w, "x", func(_ context.Context, s backstep.Step) (map[string]any, error) {
			s.Log().Info("a line")
			return nil, backstep.Terminal(errors.New("no host"), "QUOTA")
		})
		g.Refuse(backsteptest.Report, 1, status, "")
		h := g.Add(backsteptest.Action{Module: "mysql", Command: "x"})
		backsteptest.RunWorker(t, w)
		got := h.Wait()
		want := "the gateway refused to hear how the attempt failed"
		if got.Message != want || got.Code != "QUOTA" || got.Retryable || h.Starts() != 1 {
			t.Errorf("%d: got %+v after %d claims", status, got, h.Starts())
		}
		if lines := h.WaitLogged(0); len(lines) > 0 {
			t.Errorf("%d: it has the log %q", status, lines)
		}
	}
}

func TestARefusedLookAgainFailsTheStep(t *testing.T) {
	g := backsteptest.New(t)
	w := newWorker(g)
	act(w, "x", func(context.Context, backstep.Step) (map[string]any, error) {
		return nil, backstep.LookAgain(time.Second)
	})
	g.Refuse(backsteptest.Report, 1, 400, "")
	backsteptest.RunWorker(t, w)
	got := g.Do(backsteptest.Action{Module: "mysql", Command: "x"})
	if got.Verb != "fail" || got.Retryable || !strings.Contains(got.Message, "400") {
		t.Errorf("got %+v", got)
	}
}

func TestNoMoreActionsRunThanThereAreSlots(t *testing.T) {
	g := backsteptest.New(t)
	w := newWorker(g, backstep.Slots(2))
	var running, most atomic.Int64
	full := make(chan struct{})
	act(w, "x", func(context.Context, backstep.Step) (map[string]any, error) {
		now := running.Add(1)
		defer running.Add(-1)
		most.Store(max(most.Load(), now))
		if now == 2 {
			select {
			case <-full:
			default:
				close(full)
			}
		}
		// The first ones wait for one another, so that two do run at a time.
		<-full
		return nil, nil
	})
	var handles []*backsteptest.Handle
	for range 20 {
		handles = append(handles, g.Add(backsteptest.Action{Module: "mysql", Command: "x"}))
	}
	backsteptest.RunWorker(t, w)
	for _, h := range handles {
		h.Wait()
	}
	if most.Load() != 2 {
		t.Errorf("%d ran at a time", most.Load())
	}
}

func TestEveryActionEndsOnceHoweverManyAnswersAreLost(t *testing.T) {
	g := backsteptest.New(t)
	w := newWorker(g, backstep.Slots(8))
	var mu sync.Mutex
	starts := map[string]int{}
	act(w, "x", func(_ context.Context, s backstep.Step) (map[string]any, error) {
		mu.Lock()
		defer mu.Unlock()
		starts[s.IdempotencyKey]++
		return nil, nil
	})
	var handles []*backsteptest.Handle
	for range 100 {
		handles = append(handles, g.Add(backsteptest.Action{Module: "mysql", Command: "x"}))
	}
	// What an answer to an outcome would have brought is handed out again after this.
	g.SetLease(time.Second)
	g.LoseAnswers(backsteptest.Poll, 3)
	g.LoseAnswers(backsteptest.Report, 10)
	backsteptest.RunWorker(t, w)
	for _, h := range handles {
		h.Wait()
	}
	mu.Lock()
	defer mu.Unlock()
	for _, h := range handles {
		// On a slow machine a lease may have ended: then there was another claim.
		if n := starts[h.IdempotencyKey()]; n == 0 || n > h.Starts() {
			t.Errorf("%s began %d times with %d claims", h.IdempotencyKey(), n, h.Starts())
		}
	}
}

// sizes has the length of the longest body of a heartbeat.
type sizes struct{ longest atomic.Int64 }

func (s *sizes) RoundTrip(r *http.Request) (*http.Response, error) {
	if strings.HasSuffix(r.URL.Path, ":heartbeat") {
		s.longest.Store(max(s.longest.Load(), r.ContentLength))
	}
	return http.DefaultTransport.RoundTrip(r)
}

func TestAHeartbeatStaysSmallHoweverMuchItsAttemptsSay(t *testing.T) {
	g := backsteptest.New(t)
	g.SetHeartbeat(50 * time.Millisecond)
	seen := &sizes{}
	w := newGated(g, backstep.Slots(20), backstep.HTTPClient(&http.Client{Transport: seen}))
	var handles []*backsteptest.Handle
	for range 20 {
		handles = append(handles, g.Add(wait))
	}
	backsteptest.RunWorker(t, w.Worker)
	var steps []backstep.Step
	for range handles {
		steps = append(steps, <-w.started)
	}
	for _, s := range steps {
		for range 4 {
			s.Log().Info(strings.Repeat("x", 10_000))
		}
	}
	for _, h := range handles {
		h.WaitLogged(4)
	}
	if longest := seen.longest.Load(); longest > 100_000 {
		t.Errorf("a heartbeat has %d bytes", longest)
	}
	for range handles {
		w.gate <- struct{}{}
	}
}

func TestADrainedWorkerAsksSeldom(t *testing.T) {
	g := backsteptest.New(t)
	w := newGated(g)
	h := g.Add(wait)
	stop := backsteptest.RunWorker(t, w.Worker)
	<-w.started
	g.Drain()
	other := g.Add(wait)
	w.gate <- struct{}{}
	h.Wait()
	stop()
	if other.Starts() != 0 || g.Polls() > 3 {
		t.Errorf("it asked %d times", g.Polls())
	}
}

func TestTheContextEndsWithTheAttemptsTime(t *testing.T) {
	g := backsteptest.New(t)
	w := newGated(g)
	timed := wait
	timed.Timeout = 100 * time.Millisecond
	h := g.Add(timed)
	backsteptest.RunWorker(t, w.Worker)
	if cause := <-w.causes; !errors.Is(cause, context.DeadlineExceeded) {
		t.Errorf("the cause is %v", cause)
	}
	if got := h.Wait(); got.Verb != "fail" || !got.Retryable || got.Code != "TIMED_OUT" {
		t.Errorf("got %+v", got)
	}
}

func TestTheLogAndTheProgressReachTheGatewayWithoutSecrets(t *testing.T) {
	g := backsteptest.New(t)
	g.SetHeartbeat(50 * time.Millisecond)
	var own bytes.Buffer
	w := newWorker(g, backstep.Logger(slog.New(slog.NewTextHandler(&own, nil))))
	gate := make(chan struct{})
	backstep.Command(w, "x",
		func(_ context.Context, p map[string]string, s backstep.Step) (map[string]string, error) {
			s.Log().With("host", "db-7").Info("logs in with "+p["password"], "token", p["token"])
			s.Log().Debug("not wanted")
			s.Progress(140, "with "+p["password"], "has "+p["password"])
			<-gate
			s.Log().Warn("is done")
			return map[string]string{"key": p["token"]}, backstep.Terminal(errors.New(p["token"]), "")
		}, backstep.Secrets("password", "token"))
	stop := backsteptest.RunWorker(t, w)
	h := g.Add(backsteptest.Action{
		Module: "mysql", Command: "x",
		Parameters: map[string]string{"password": "hunter-22", "token": "abcdefgh"},
	})
	if told := h.WaitProgress(1); told[0] != (backsteptest.Progress{State: "has____", Percent: 100, Message: "with ***"}) {
		t.Errorf("got %+v", told)
	}
	close(gate)
	if got := h.Wait(); got.Message != "***" {
		t.Errorf("the message is %s", got.Message)
	}
	want := []string{"logs in with *** host=db-7 token=***", "is done"}
	if got := h.WaitLogged(2); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	stop()
	if text := own.String(); strings.Contains(text, "hunter-22") || strings.Contains(text, "abcdefgh") ||
		!strings.Contains(text, `msg="logs in with *** host=db-7 token=***" task=`) {
		t.Errorf("the worker's own log: %s", text)
	}
}

func TestASecretIsMaskedWhereverItWasGivenAndHoweverItIsWritten(t *testing.T) {
	g := backsteptest.New(t)
	w := newWorker(g)
	const key, quoted = "-----BEGIN-----\nMIIEsecret\n", `say "open sesame"`
	act(w, "use", func(_ context.Context, s backstep.Step) (map[string]any, error) {
		s.Log().Info("a", "key", key, "error", errors.New(quoted), "raw", []byte(quoted), "n", 1)
		text, _ := json.Marshal([]string{quoted})
		s.Log().Info(fmt.Sprintf("%q %s %s", quoted, text, url.QueryEscape(quoted)))
		s.Log().Info("b MIIEsecret c " + quoted + " d password-1 e password-12 f from-before g undone-one")
		return nil, nil
	})
	backstep.Command(w, "secret",
		func(context.Context, map[string]any, backstep.Step) (map[string]any, error) { return nil, nil },
		backstep.Secrets("key", "old", "new"))
	backsteptest.RunWorker(t, w)
	h := g.Add(backsteptest.Action{
		Module: "mysql", Command: "use", Direction: backstep.Rollback,
		Parameters: map[string]any{
			"key": key, "old": "password-1", "deep": []any{map[string]any{"new": "password-12"}},
		},
		Results: map[string]any{"a": map[string]any{"key": []string{quoted, "from-before"}}},
		Undoes: &backstep.ForwardResult{
			State: backstep.ForwardSucceeded, Output: []byte(`{"key": "undone-one"}`),
		},
	})
	want := []string{
		"a key=*** error=*** raw=*** n=1", `"***" ["***"] ***`,
		"b *** c *** d *** e *** f *** g ***",
	}
	if got := h.WaitLogged(3); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestSecretsOfAnOutputAreNamedWithIt(t *testing.T) {
	g := backsteptest.New(t)
	w := newWorker(g)
	backstep.Command(w, "x", func(context.Context, struct{}, backstep.Step) (map[string]string, error) {
		return map[string]string{"password": "hunter-22"}, nil
	}, backstep.Secrets("password"))
	backsteptest.RunWorker(t, w)
	got := g.Do(backsteptest.Action{Module: "mysql", Command: "x"})
	if !slices.Equal(got.Secrets, []string{"password"}) {
		t.Errorf("got %v", got.Secrets)
	}
}

func TestOneWorkerServesSeveralModules(t *testing.T) {
	g := backsteptest.New(t)
	w := newWorker(g)
	for _, name := range []string{"mysql", "dns"} {
		backstep.Command(w.Module(name), "x",
			func(_ context.Context, _ struct{}, s backstep.Step) (map[string]string, error) {
				return map[string]string{"module": s.Module}, nil
			})
	}
	backstep.Command(w.Module("dns"), "only_dns",
		func(context.Context, struct{}, backstep.Step) (struct{}, error) { return struct{}{}, nil })
	backsteptest.RunWorker(t, w)
	for _, module := range []string{"mysql", "dns"} {
		got := g.Do(backsteptest.Action{Module: module, Command: "x"})
		if want := fmt.Sprintf(`{"module":%q}`, module); string(got.Output) != want {
			t.Errorf("got %s", got.Output)
		}
	}
	got := g.Do(backsteptest.Action{Module: "mysql", Command: "only_dns"})
	if got.Code != "UNKNOWN_COMMAND" || got.Retryable {
		t.Errorf("got %+v", got)
	}
}

func TestAWorkerOfMoreCommandsThanAPollNamesAsksForAll(t *testing.T) {
	g := backsteptest.New(t)
	w := newWorker(g)
	nothing := func(context.Context, map[string]any, backstep.Step) (any, error) { return nil, nil }
	for n := range 101 {
		backstep.Command(w, fmt.Sprintf("a%d", n), nothing)
		backstep.Command(w.Module("disks"), fmt.Sprintf("b%d", n), nothing)
	}
	backsteptest.RunWorker(t, w)
	for _, a := range []backsteptest.Action{
		{Module: "mysql", Command: "a100"}, {Module: "disks", Command: "b100"},
	} {
		if got := g.Do(a); got.Verb != "complete" {
			t.Errorf("got %+v", got)
		}
	}
}
