package backstep_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	backstep "backstep.example/clients/go"
	"backstep.example/clients/go/backsteptest"
)

type initParameters struct {
	CPU    int `json:"cpu"`
	Memory int `json:"memory"`
}

func (p *initParameters) SetDefaults() { p.Memory = 4 }

type instance struct {
	Instance string `json:"instance"`
	Memory   int    `json:"memory,omitempty"`
}

func newWorker(g *backsteptest.Gateway, options ...backstep.Option) *backstep.Worker {
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	options = append([]backstep.Option{backstep.Logger(quiet), backstep.Wait(time.Second)}, options...)
	return backstep.NewWorker(g.URL, "mysql", options...)
}

// act adds a command that takes and returns objects.
func act(
	w *backstep.Worker, name string,
	run func(ctx context.Context, s backstep.Step) (map[string]any, error),
) {
	backstep.Command(w, name,
		func(ctx context.Context, _ map[string]any, s backstep.Step) (map[string]any, error) {
			return run(ctx, s)
		})
}

func TestACommandGetsItsParametersAndReturnsItsOutput(t *testing.T) {
	g := backsteptest.New(t)
	w := newWorker(g)
	backstep.Command(w, "init_instance",
		func(_ context.Context, p initParameters, s backstep.Step) (instance, error) {
			return instance{fmt.Sprintf("vm-%d-%s", p.CPU, s.IdempotencyKey), p.Memory}, nil
		})
	backsteptest.RunWorker(t, w)
	got := g.Do(backsteptest.Action{
		Module: "mysql", Command: "init_instance", TaskID: "t",
		Parameters: map[string]any{"cpu": 2, "of_another_step": true},
	})
	want := `{"instance":"vm-2-t/init_instance/normal","memory":4}`
	if got.Verb != "complete" || string(got.Output) != want {
		t.Errorf("got %s %s", got.Verb, got.Output)
	}
}

func TestWrongParametersNeverReachTheCommand(t *testing.T) {
	g := backsteptest.New(t)
	w := newWorker(g)
	backstep.Command(w, "init_instance",
		func(context.Context, initParameters, backstep.Step) (instance, error) {
			t.Error("it was called")
			return instance{}, nil
		})
	backsteptest.RunWorker(t, w)
	for parameters, want := range map[string]string{
		`{}`:                           "/cpu is missing",
		`{"cpu": null}`:                "/cpu is missing",
		`{"cpu": "secret"}`:            "/cpu must be a whole number",
		`{"cpu": 1.5, "memory": true}`: "/memory must be a whole number",
	} {
		got := g.Do(backsteptest.Action{
			Module: "mysql", Command: "init_instance", Parameters: rawJSON(parameters),
		})
		if got.Code != "INVALID_PARAMETERS" || got.Retryable || !strings.Contains(got.Message, want) {
			t.Errorf("%s: got %+v", parameters, got)
		}
		if strings.Contains(got.Message, "secret") {
			t.Errorf("%s: the message tells the value: %s", parameters, got.Message)
		}
	}
}

type ruled struct {
	Count int `json:"count"`
}

func (r ruled) Validate() error {
	if r.Count < 1 {
		return errors.New("/count is below 1")
	}
	return nil
}

func TestRulesHoldAlsoWhereParametersAreAPointer(t *testing.T) {
	g := backsteptest.New(t)
	w := newWorker(g)
	backstep.Command(w, "order",
		func(_ context.Context, p *ruled, _ backstep.Step) (map[string]any, error) {
			return map[string]any{"count": p.Count}, nil
		})
	backsteptest.RunWorker(t, w)
	for parameters, want := range map[string]string{`{"count": 0}`: "INVALID_PARAMETERS", `{"count": 1}`: ""} {
		got := g.Do(backsteptest.Action{Module: "mysql", Command: "order", Parameters: rawJSON(parameters)})
		if got.Code != want {
			t.Errorf("%s: got %+v", parameters, got)
		}
	}
}

func TestAnUndoReadsLenientlyAndKnowsTheOutput(t *testing.T) {
	type clean struct {
		CPU      int    `json:"cpu"`
		Instance string `json:"instance,omitempty"`
	}
	g := backsteptest.New(t)
	w := newWorker(g)
	seen := make(chan string, 1)
	backstep.Undo(w, "clean_instance", func(_ context.Context, p clean, s backstep.Step) error {
		output, known := backstep.Forward[instance](s)
		seen <- fmt.Sprintf("%+v %+v %t %s %s", p, output, known, s.ForwardState(), s.ForwardKey)
		return nil
	})
	backsteptest.RunWorker(t, w)
	undo := backsteptest.Action{
		Module: "mysql", Command: "clean_instance", Direction: backstep.Rollback, TaskID: "t",
		Parameters: rawJSON(`{"cpu": 2, "instance": 7}`),
		Undoes: &backstep.ForwardResult{
			State: backstep.ForwardSucceeded, Output: []byte(`{"instance": "vm-1", "memory": "?"}`),
		},
	}
	got := g.Do(undo)
	want := "{CPU:2 Instance:} {Instance:vm-1 Memory:0} true succeeded t/clean_instance/normal"
	if said := <-seen; got.Verb != "complete" || got.Output != nil || said != want {
		t.Errorf("got %+v and %s", got, said)
	}
	undo.Undoes, undo.TaskID = &backstep.ForwardResult{State: backstep.ForwardUnknown}, "u"
	g.Do(undo)
	want = "{CPU:2 Instance:} {Instance: Memory:0} false unknown u/clean_instance/normal"
	if said := <-seen; said != want {
		t.Errorf("got %s", said)
	}
	undo.Parameters, undo.TaskID = rawJSON(`{"cpu": "two"}`), "v"
	if got := g.Do(undo); got.Code != "INVALID_PARAMETERS" {
		t.Errorf("an undo without what it requires: %+v", got)
	}
}

func TestOutcomesFollowFromTheKindOfTheError(t *testing.T) {
	plain := errors.New("no host")
	for name, c := range map[string]struct {
		err  error
		want backsteptest.Outcome
	}{
		"plain":    {plain, backsteptest.Outcome{Verb: "fail", Message: "no host", Retryable: true}},
		"terminal": {backstep.Terminal(plain, "QUOTA"), backsteptest.Outcome{Verb: "fail", Code: "QUOTA", Message: "no host"}},
		"wrapped": {
			fmt.Errorf("init: %w", backstep.Terminal(plain, "")),
			backsteptest.Outcome{Verb: "fail", Message: "init: no host"},
		},
		"retry": {
			backstep.Retry(plain, time.Minute),
			backsteptest.Outcome{Verb: "fail", Message: "no host", Retryable: true, After: time.Minute},
		},
		"later": {backstep.Later(time.Hour), backsteptest.Outcome{Verb: "later", After: time.Hour}},
		"nameless": {
			&backstep.TerminalError{Code: "QUOTA"},
			backsteptest.Outcome{Verb: "fail", Code: "QUOTA", Message: "no error was given"},
		},
		"code": {
			backstep.Terminal(plain, "no-code"),
			backsteptest.Outcome{Verb: "fail", Message: `no host (the code "no-code" is not of the form ^[A-Z][A-Z0-9_]{0,63}$)`},
		},
		"unwritable": {nil, backsteptest.Outcome{
			Verb: "fail", Code: "INVALID_OUTPUT",
			Message: "the output cannot be written: json: unsupported type: chan int",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			g := backsteptest.New(t)
			w := newWorker(g)
			act(w, "x", func(context.Context, backstep.Step) (map[string]any, error) {
				return map[string]any{"channel": make(chan int)}, c.err
			})
			backsteptest.RunWorker(t, w)
			got := g.Do(backsteptest.Action{Module: "mysql", Command: "x"})
			c.want.Attempt, got.Output = 1, nil
			if fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", c.want) {
				t.Errorf("got  %+v\nwant %+v", got, c.want)
			}
		})
	}
}

func TestLookAgainCallsTheCommandAgainAndCostsNoAttempt(t *testing.T) {
	g := backsteptest.New(t)
	w := newWorker(g)
	calls := 0
	act(w, "boot", func(_ context.Context, s backstep.Step) (map[string]any, error) {
		if calls++; calls < 3 {
			return nil, backstep.LookAgain(10 * time.Second)
		}
		return map[string]any{"attempt": s.Attempt}, nil
	})
	backsteptest.RunWorker(t, w)
	got := g.Do(backsteptest.Action{Module: "mysql", Command: "boot"})
	if string(got.Output) != `{"attempt":1}` || calls != 3 {
		t.Errorf("got %s after %d calls", got.Output, calls)
	}
}

func TestAPanicIsARetryableFailureAndTheWorkerLivesOn(t *testing.T) {
	g := backsteptest.New(t)
	w := newWorker(g)
	act(w, "x", func(_ context.Context, s backstep.Step) (map[string]any, error) {
		switch s.Attempt {
		case 1:
			panic("nil map")
		case 2:
			return nil, (*os.PathError)(nil)
		}
		return nil, nil
	})
	backsteptest.RunWorker(t, w)
	h := g.Add(backsteptest.Action{Module: "mysql", Command: "x", Retries: 2})
	if got := h.Wait(); got.Verb != "complete" || got.Attempt != 3 {
		t.Errorf("got %+v", got)
	}
	if log := strings.Join(h.WaitLogged(1), "\n"); !strings.Contains(log, "nil map") {
		t.Errorf("the log says %s", log)
	}
}

// loud is a handler that panics.
type loud struct{ slog.Handler }

func (l loud) Handle(context.Context, slog.Record) error { panic("the log is broken") }
func (l loud) WithAttrs([]slog.Attr) slog.Handler        { return l }

func TestAnErrorThatCannotBeReadIsOneOfItsAttempt(t *testing.T) {
	for name, fail := range map[string]func(s backstep.Step) error{
		"a nil pointer": func(backstep.Step) error { return (*backstep.TerminalError)(nil) },
		"one within an error": func(backstep.Step) error {
			return fmt.Errorf("not done: %w", (*backstep.TerminalError)(nil))
		},
		"one within a look": func(backstep.Step) error {
			return &backstep.LookAgainError{Err: fmt.Errorf("away: %w", (*os.PathError)(nil))}
		},
		"a log that panics": func(s backstep.Step) error { s.Log().Info("begun"); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			g := backsteptest.New(t)
			quiet := slog.NewTextHandler(io.Discard, nil)
			w := newWorker(g, backstep.Logger(slog.New(loud{quiet})))
			act(w, "x", func(_ context.Context, s backstep.Step) (map[string]any, error) {
				if s.Attempt == 1 {
					return nil, fail(s)
				}
				return nil, nil
			})
			backsteptest.RunWorker(t, w)
			got := g.Do(backsteptest.Action{Module: "mysql", Command: "x", Retries: 1})
			if got.Verb != "complete" || got.Attempt != 2 {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func TestAWorkerThatCannotBeginSaysWhy(t *testing.T) {
	w := backstep.NewWorker("gateway:7070", "mysql", backstep.Slots(0), backstep.Lease(time.Second))
	err := w.Run(context.Background())
	for _, want := range []string{"http URL", "0 slots", "a lease of 1s", "has no command"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in: %v", want, err)
		}
	}
	w = backstep.NewWorker("http://127.0.0.1:1", "mysql", backstep.Slots(10_001))
	for number := range 16 {
		w.Module(fmt.Sprint("m", number))
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	err = w.Run(ctx)
	for _, want := range []string{"10001 slots", "17 modules"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in: %v", want, err)
		}
	}
}

type rawJSON string

func (r rawJSON) MarshalJSON() ([]byte, error) { return []byte(r), nil }
