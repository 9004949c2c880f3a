package backstep

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// Registrar takes commands: a *Worker for its first module, or one of its modules.
type Registrar interface{ module() *Module }

// Module is one module of a worker: see Worker.Module.
type Module struct {
	name     string
	commands map[string]handler
	worker   *Worker
}

func (m *Module) module() *Module { return m }

// handler carries out one attempt: it returns the output as JSON, or how the attempt ended else.
type handler struct {
	run     func(ctx context.Context, s Step) (json.RawMessage, error)
	secrets []string
	output  json.RawMessage
}

// CommandOption is an option of a command.
type CommandOption func(*handler)

// OutputSchema is a JSON Schema that the output must fit: else the step fails for good
// (INVALID_OUTPUT). A schema that cannot be used is refused when the worker registers.
func OutputSchema(schema json.RawMessage) CommandOption {
	return func(h *handler) { h.output = schema }
}

// Secrets names members of the parameters and of the output that are secrets. Those of the output
// are sealed before anything is stored. Texts of 8 bytes or more that any attempt of the worker is
// given under such a name are masked in its log, and so are their lines. The gateway knows the
// secrets among the parameters, and masks all of them in what it keeps.
func Secrets(members ...string) CommandOption {
	return func(h *handler) { h.secrets = append(h.secrets, members...) }
}

// Command has the worker carry out a command of a module. P is the type of its parameters: a
// struct, or a map. A member is required unless its field is a pointer, has omitempty or omitzero,
// or gets a default by SetDefaults; members that P does not name are ignored. Parameters that do
// not fit fail the step for good (INVALID_PARAMETERS), and run is not called. Out is the output: a
// struct or map, which JSON writes as an object, or nil.
//
// run may be called twice, late, or after its own undo: Step has keys against that. Its ctx ends
// with the attempt's deadline, or with a *Cancelled as its context.Cause. A nil error means
// success, Terminal, Retry, LookAgain and Later say what else happened, and any other error is
// retried. A panic is an error.
func Command[P, Out any](
	to Registrar, name string,
	run func(ctx context.Context, p P, s Step) (Out, error),
	options ...CommandOption,
) {
	to.module().add(name, options, func(ctx context.Context, s Step) (json.RawMessage, error) {
		var p P
		// One command may serve both directions.
		if err := parametersFor(s, &p); err != nil {
			return nil, err
		}
		output, err := run(ctx, p, s)
		if err != nil {
			return nil, err
		}
		return encode(output)
	})
}

// Undo has the worker carry out a command that takes another one back. Its parameters are those of
// the forward action, then its output, then the constants of the undo; Forward reads the output
// alone. They are read leniently: an optional member that does not fit is left out, so require
// only those without which it cannot work.
//
// It also runs when nobody knows whether the forward action had an effect, and must then succeed
// without one. Which command it undoes is said by the flow.
func Undo[P any](
	to Registrar, name string,
	run func(ctx context.Context, p P, s Step) error,
	options ...CommandOption,
) {
	to.module().add(name, options, func(ctx context.Context, s Step) (json.RawMessage, error) {
		var p P
		if err := parametersFor(s, &p); err != nil {
			return nil, err
		}
		return nil, run(ctx, p, s)
	})
}

func parametersFor(s Step, target any) error {
	read := readParameters
	if s.Direction == Rollback {
		read = readForUndo
	}
	if err := read(s.Parameters, target); err != nil {
		return Terminal(fmt.Errorf("the parameters do not fit: %w", err), invalidParameters)
	}
	return nil
}

func (m *Module) add(
	name string, options []CommandOption,
	run func(ctx context.Context, s Step) (json.RawMessage, error),
) {
	if _, is := m.commands[name]; is || name == "" {
		m.worker.wrong = append(m.worker.wrong,
			fmt.Errorf("backstep: the command %q of module %q is named twice or not at all", name, m.name))
	}
	h := handler{run: run}
	for _, option := range options {
		option(&h)
	}
	m.commands[name] = h
}

// encode writes an output as a JSON object; nil where there is none.
func encode(output any) (json.RawMessage, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(output); err != nil {
		return nil, Terminal(fmt.Errorf("the output cannot be written: %w", err), invalidOutput)
	}
	raw := json.RawMessage(bytes.TrimSpace(text.Bytes()))
	if isNull(raw) {
		return nil, nil
	}
	if raw[0] != '{' {
		return nil, Terminal(errors.New("the output is not a JSON object"), invalidOutput)
	}
	return raw, nil
}
