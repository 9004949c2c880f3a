package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"

	backstep "backstep.example/clients/go"
)

// add gives a worker a command whose start and end are in the journal.
func add[P any](
	w *backstep.Worker, j journal, name string,
	run func(ctx context.Context, p P, s backstep.Step) (object, error),
	options ...backstep.CommandOption,
) {
	backstep.Command(w, name, func(ctx context.Context, p P, s backstep.Step) (object, error) {
		if err := j.write("started", s, nil); err != nil {
			return nil, err
		}
		output, err := run(ctx, p, s)
		var cancelled *backstep.Cancelled
		isTold := errors.As(context.Cause(ctx), &cancelled) && !errors.Is(cancelled, backstep.ErrLeaseLost)
		if err != nil && isTold {
			return nil, errors.Join(err, j.write("cancelled", s, object{"reason": cancelled.Reason}))
		}
		return output, errors.Join(err, j.write("ended", s, nil))
	}, options...)
}

type gated struct {
	Gate string `json:"gate"`
}

type failing struct {
	Kind    string `json:"kind"`
	Message string `json:"message"`
	Code    string `json:"code,omitempty"`
	After   string `json:"after,omitempty"`
}

type typed struct {
	CPU    int `json:"cpu"`
	Memory int `json:"memory"`
}

func (p *typed) SetDefaults() { p.Memory = 4 }

func addCommands(w *backstep.Worker, j journal) {
	addOutcomes(w, j)
	addWork(w, j)
	addWords(w, j)
	backstep.Undo(w, "undo", func(_ context.Context, _ object, s backstep.Step) error {
		if err := j.write("started", s, nil); err != nil {
			return err
		}
		said := object{"forwardState": s.ForwardState(), "forwardOutput": nil}
		if output, isKnown := backstep.Forward[object](s); isKnown {
			said["forwardOutput"] = output
		}
		return j.write("undone", s, said)
	})
}

// addOutcomes adds the commands that end in each way.
func addOutcomes(w *backstep.Worker, j journal) {
	add(w, j, "give", func(_ context.Context, p struct {
		Output object `json:"output"`
	}, _ backstep.Step) (object, error) {
		return p.Output, nil
	})
	add(w, j, "fail", func(_ context.Context, p failing, _ backstep.Step) (object, error) {
		return nil, p.asError()
	})
	add(w, j, "flaky", func(_ context.Context, p struct {
		Failures int    `json:"failures"`
		After    string `json:"after,omitempty"`
	}, s backstep.Step) (object, error) {
		if s.Attempt <= p.Failures {
			return nil, backstep.Retry(errors.New("not yet"), durationOf(p.After))
		}
		return object{"attempt": s.Attempt}, nil
	})
	add(w, j, "again", func(_ context.Context, p struct {
		Times int    `json:"times"`
		After string `json:"after"`
	}, s backstep.Step) (object, error) {
		starts, err := j.starts(s)
		if err == nil && starts <= p.Times {
			err = backstep.LookAgain(durationOf(p.After))
		}
		return object{"calls": starts}, err
	})
	add(w, j, "later", func(_ context.Context, p struct {
		Timeout string `json:"timeout"`
	}, s backstep.Step) (object, error) {
		err := j.write("token", s, object{"completionToken": s.CompletionToken})
		return nil, errors.Join(err, backstep.Later(durationOf(p.Timeout)))
	})
}

func (p failing) asError() error {
	err := errors.New(p.Message)
	switch p.Kind {
	case "terminal":
		return backstep.Terminal(err, p.Code)
	case "retryable":
		return &backstep.RetryError{Err: err, Code: p.Code, After: durationOf(p.After)}
	default:
		return err
	}
}

// addWork adds the commands that take their time, or die.
func addWork(w *backstep.Worker, j journal) {
	add(w, j, "slow", func(ctx context.Context, p struct {
		Ms int64 `json:"ms"`
	}, _ backstep.Step) (object, error) {
		timer := time.NewTimer(time.Duration(p.Ms) * time.Millisecond)
		defer timer.Stop()
		select {
		case <-timer.C:
			return object{"ms": p.Ms}, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	})
	add(w, j, "wait", func(ctx context.Context, p gated, _ backstep.Step) (object, error) {
		return object{"gate": p.Gate}, j.wait(ctx, p.Gate)
	})
	add(w, j, "deaf", func(ctx context.Context, p gated, _ backstep.Step) (object, error) {
		return object{"gate": p.Gate}, j.wait(context.WithoutCancel(ctx), p.Gate)
	})
	add(w, j, "crash", func(_ context.Context, p struct {
		Times int `json:"times"`
	}, s backstep.Step) (object, error) {
		starts, err := j.starts(s)
		if err == nil && starts <= p.Times {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
		return object{"starts": starts}, err
	})
}

// addWords adds the commands that are about what is handed over and told.
func addWords(w *backstep.Worker, j journal) {
	add(w, j, "typed", func(_ context.Context, p typed, _ backstep.Step) (object, error) {
		return object{"cpu": p.CPU, "memory": p.Memory}, nil
	})
	add(w, j, "say", func(_ context.Context, p struct {
		Lines []string `json:"lines"`
	}, s backstep.Step) (object, error) {
		for _, line := range p.Lines {
			s.Log().Info(line)
		}
		return nil, nil
	})
	add(w, j, "progress", func(ctx context.Context, p struct {
		gated
		Percent float64 `json:"percent"`
		Message string  `json:"message"`
		State   string  `json:"state"`
	}, s backstep.Step) (object, error) {
		s.Progress(p.Percent, p.Message, p.State)
		return object{"gate": p.Gate}, j.wait(ctx, p.Gate)
	})
	add(w, j, "secret", func(context.Context, object, backstep.Step) (object, error) {
		return object{"user": "admin", "password": "correct-horse-battery"}, nil
	}, backstep.Secrets("password"))
	add(w, j, "use_secret", func(_ context.Context, p struct {
		Password string `json:"password"`
	}, s backstep.Step) (object, error) {
		s.Log().Info("the password is " + p.Password)
		return object{"length": len(p.Password)}, nil
	}, backstep.Secrets("password"))
	add(w, j, "bulk", func(_ context.Context, p struct {
		Bytes int `json:"bytes"`
	}, _ backstep.Step) (object, error) {
		return object{"text": strings.Repeat("x", p.Bytes)}, nil
	})
	add(w, j, "declared", func(_ context.Context, p struct {
		Output object `json:"output"`
	}, _ backstep.Step) (object, error) {
		return p.Output, nil
	}, backstep.OutputSchema(json.RawMessage(`{"properties": {"host": {"type": "string"}},
		"required": ["host"], "additionalProperties": false}`)))
	add(w, j, "results", func(_ context.Context, _ object, s backstep.Step) (object, error) {
		results := object{}
		for name, output := range s.Results {
			results[name] = json.RawMessage(output)
		}
		return object{"results": results, "labels": s.Labels}, nil
	})
}

// durationOf reads a duration of Backstep, such as "30s", "1d" or a number of seconds.
func durationOf(text string) time.Duration {
	if days, isDays := strings.CutSuffix(text, "d"); isDays {
		var n float64
		_, _ = fmt.Sscan(days, &n)
		return time.Duration(n * 24 * float64(time.Hour))
	}
	d, _ := time.ParseDuration(text)
	return d
}
