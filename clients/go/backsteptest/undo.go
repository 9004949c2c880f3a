package backsteptest

import (
	"encoding/json"
	"fmt"
	"testing"

	backstep "backstep.example/clients/go"
)

// Contract is a command with its undo, for UndoContract.
type Contract struct {
	// Worker makes the worker that has both, for the gateway at an address.
	Worker func(address string) *backstep.Worker
	Module string
	// Command is the forward action, and Undo takes it back.
	Command string
	Undo    string
	// Parameters of the forward action, with which it must succeed.
	Parameters any
	// World returns everything that the two change, as something that JSON can write.
	World func() any
}

// UndoContract tries a command and its undo in every order in which they may be called: each
// twice, the undo alone, the command after its undo, and the death of a worker between an effect
// and its report. It compares what World returns. A command that passes keeps the four rules of
// effects: once for a key, refused to older attempts, undone without an effect, and never after
// its undo.
func UndoContract(t *testing.T, c Contract) {
	t.Helper()
	g := New(t)
	RunWorker(t, c.Worker(g.URL))
	for _, play := range plays {
		t.Run(play.name, func(t *testing.T) {
			if found := perform(g, c, play); found != "" {
				t.Error(found)
			}
		})
	}
}

// perform tries one order, and returns what is wrong; empty: nothing is.
func perform(g *Gateway, c Contract, tried play) string {
	p := &performance{Contract: c, gateway: g, task: "contract: " + tried.name}
	p.before = p.world()
	tried.run(p)
	return p.wrong
}

// play is one order of calls.
type play struct {
	name string
	run  func(p *performance)
}

// plays are the orders that are tried. Each is of a task of its own, so that it begins afresh.
var plays = []play{
	{"the command has an effect, and its undo takes it back", func(p *performance) {
		output := p.mustForward(0)
		if p.world() == p.before {
			p.fail("the command changes nothing that World shows")
		}
		p.mustUndo(output)
		p.expectBefore("the undo")
	}},
	{"twice is once", func(p *performance) {
		first := p.mustForward(0)
		once := p.world()
		second := p.mustForward(0)
		p.expect(once, "a second start of the command")
		if canonical(first) != canonical(second) {
			p.fail("the command returned %s, and for the same key %s", first, second)
		}
		p.mustUndo(second)
		p.expectBefore("the undo of a command that was started twice")
	}},
	{"undone twice is undone once", func(p *performance) {
		output := p.mustForward(0)
		p.mustUndo(output)
		p.mustUndo(output)
		p.expectBefore("a second undo")
	}},
	{"an undo without an effect does nothing", func(p *performance) {
		p.mustUndo(nil)
		p.expectBefore("an undo of nothing")
	}},
	{"the command is refused after its undo", func(p *performance) {
		late := p.gateway.NextToken()
		p.mustUndo(nil)
		p.forward(late)
		p.expectBefore("a command that came after its undo")
	}},
	{"an older attempt is refused", func(p *performance) {
		late := p.gateway.NextToken()
		output := p.mustForward(0)
		p.mustUndo(output)
		p.forward(late)
		p.expectBefore("an older attempt that woke up after the undo")
	}},
	{"an effect whose report was lost is undone", func(p *performance) {
		p.mustForward(0)
		p.mustUndo(nil)
		p.expectBefore("the undo of an effect that nobody knew of")
	}},
	{"an effect whose report was lost is found again", func(p *performance) {
		p.mustForward(0)
		once := p.world()
		output := p.mustForward(0)
		p.expect(once, "another start after a lost report")
		p.mustUndo(output)
		p.expectBefore("the undo of both")
	}},
}

// performance is a play while it goes on.
type performance struct {
	Contract
	gateway *Gateway
	task    string
	before  string
	// wrong is the first thing that went wrong; what comes after it says nothing.
	wrong string
}

func (p *performance) fail(format string, values ...any) {
	if p.wrong == "" {
		p.wrong = fmt.Sprintf(format, values...)
	}
}

// forward starts the command; a token of 0 is the next one.
func (p *performance) forward(token int64) Outcome {
	return p.gateway.Do(Action{
		Module: p.Module, Command: p.Command, Parameters: p.Parameters,
		TaskID: p.task, Step: "step", FencingToken: token,
	})
}

func (p *performance) mustForward(token int64) json.RawMessage {
	got := p.forward(token)
	if got.Verb != "complete" {
		p.fail("the command did not succeed: %s %s", got.Code, got.Message)
	}
	return got.Output
}

// mustUndo undoes, with the output of the command; nil: nobody knows it.
func (p *performance) mustUndo(output json.RawMessage) {
	undoes := &backstep.ForwardResult{State: backstep.ForwardUnknown}
	if output != nil {
		undoes = &backstep.ForwardResult{State: backstep.ForwardSucceeded, Output: output}
	}
	got := p.gateway.Do(Action{
		Module: p.Module, Command: p.Undo, Direction: backstep.Rollback,
		Parameters: p.withOutput(output), TaskID: p.task, Step: "step", Undoes: undoes,
	})
	if got.Verb != "complete" {
		p.fail("the undo did not succeed, so a person would be called: %s %s", got.Code, got.Message)
	}
}

// withOutput are the parameters of an undo: those of the command, then its output.
func (p *performance) withOutput(output json.RawMessage) any {
	text, err := json.Marshal(p.Parameters)
	if err != nil {
		p.fail("parameters that JSON cannot write: %v", err)
	}
	var members map[string]any
	for _, part := range [][]byte{text, output} {
		if len(part) > 0 {
			if err := json.Unmarshal(part, &members); err != nil {
				p.fail("neither parameters nor outputs: %s", part)
			}
		}
	}
	return members
}

func (p *performance) world() string {
	text, err := json.Marshal(p.World())
	if err != nil {
		p.fail("the world cannot be compared: %v", err)
	}
	return string(text)
}

func (p *performance) expectBefore(what string) {
	p.expect(p.before, what)
}

func (p *performance) expect(world, what string) {
	if now := p.world(); now != world {
		p.fail("%s left\n  %s\ninstead of\n  %s", what, now, world)
	}
}

// canonical writes JSON in one way.
func canonical(raw json.RawMessage) string {
	var value any
	_ = json.Unmarshal(raw, &value)
	text, _ := json.Marshal(value)
	return string(text)
}
