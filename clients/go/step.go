package backstep

import (
	"encoding/json"
	"log/slog"
)

// Direction says whether an action goes forward or undoes one that did.
type Direction string

// The two directions of an action.
const (
	Normal   Direction = "normal"
	Rollback Direction = "rollback"
)

// ForwardState says what is known of the action that an undo takes back.
type ForwardState string

// The states of a forward action.
const (
	// ForwardSucceeded: it is done, and its output is known.
	ForwardSucceeded ForwardState = "succeeded"
	// ForwardFailed: it failed, and may have had a part of its effect.
	ForwardFailed ForwardState = "failed"
	// ForwardUnknown: nobody knows whether it had an effect.
	ForwardUnknown ForwardState = "unknown"
)

// ForwardResult is what an undo is told of the action that it takes back.
type ForwardResult struct {
	State ForwardState `json:"state"`
	// Output is a JSON object; null or empty: there was none, or it is unknown.
	Output json.RawMessage `json:"output"`
}

// Step is one attempt of an action: everything about it but its parameters. The zero Step is
// usable, so a test may call a command with a Step that has only the members that it needs.
type Step struct {
	TaskID string
	Flow   string
	// Name of the step in its flow.
	Name string
	// Run is the id of the step's run, unique in the task for ever: "pay", "pay~2" after a reset.
	Run       string
	Direction Direction
	Module    string
	Command   string
	// Attempt is 1 for the first start.
	Attempt int
	// IdempotencyKey is the same for every attempt of this action.
	IdempotencyKey string
	// ForwardKey is the IdempotencyKey of the action that an undo takes back.
	ForwardKey string
	// Undoes tells an undo about the action that it takes back; read it with Forward.
	Undoes *ForwardResult
	// FencingToken grows with each claim. A system that has seen a higher one must refuse this one.
	FencingToken int64
	// CompletionToken lets another system report the outcome after the command returned Later. It
	// is a secret.
	CompletionToken string
	// Parameters is the whole JSON object, also what the command's type does not name.
	Parameters json.RawMessage
	// Results are the outputs of the earlier steps, by their names.
	Results map[string]json.RawMessage
	Labels  map[string]string
	// Traceparent is the W3C trace context for outgoing calls; empty: there is none.
	Traceparent string

	record *attemptRecord
}

// Log returns the log of the attempt. Its lines go to the worker's own log, and with the next
// heartbeat to the gateway, which keeps them with the attempt: at most 64 KiB, of which the
// oldest go. Secrets of the attempt are masked.
func (s Step) Log() *slog.Logger {
	if s.record == nil {
		return slog.New(discard{})
	}
	return s.record.logger
}

// Progress tells people how far the attempt is; the newest report before each heartbeat is sent.
// percent is 0 to 100, and a value outside counts as the nearer end. A message of more than 500
// characters loses its end. A state is a name of your own, such as "copying": at most 64 of A-Z, a-z,
// 0-9 and ._-, where others become "_"; the last one given counts.
func (s Step) Progress(percent float64, message string, state ...string) {
	if s.record == nil {
		return
	}
	named := ""
	if len(state) > 0 {
		named = state[len(state)-1]
	}
	s.record.setProgress(percent, message, named)
}

// Forward returns the output of the action that an undo takes back, and whether it is known.
// Members that do not fit T are left at their zero values: an undo must be able to run. In a
// forward action it returns the zero T and false.
func Forward[T any](s Step) (T, bool) {
	var output T
	if s.Undoes == nil || isNull(s.Undoes.Output) {
		return output, false
	}
	_ = readLeniently(s.Undoes.Output, &output)
	return output, true
}

// ForwardState returns what is known of the action that an undo takes back: ForwardUnknown where
// nothing is.
func (s Step) ForwardState() ForwardState {
	if s.Undoes == nil || s.Undoes.State == "" {
		return ForwardUnknown
	}
	return s.Undoes.State
}

func stepOf(i *item) Step {
	return Step{
		TaskID: i.TaskID, Flow: i.Flow, Name: i.Step, Run: i.Run,
		Direction: i.Direction, Module: i.Module, Command: i.Command, Attempt: i.Attempt,
		IdempotencyKey: i.IdempotencyKey, ForwardKey: i.ForwardKey, Undoes: i.Forward,
		FencingToken: i.FencingToken, CompletionToken: i.CompletionToken,
		Parameters: i.Parameters, Results: i.Results, Labels: i.Labels,
		Traceparent: i.Traceparent,
	}
}

func isNull(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }
