package backsteptest

import (
	"context"
	"io"
	"log/slog"
	"sync"
	"testing"

	backstep "backstep.example/clients/go"
)

// shop is a world with reservations, and ways to get them wrong.
type shop struct {
	mu       sync.Mutex
	reserved map[string]int
	undone   map[string]bool

	// Faults.
	forgetsKeys   bool
	takesBackNil  bool
	reservesLate  bool
	needsOutput   bool
	undoesNothing bool
}

func (s *shop) world() any {
	s.mu.Lock()
	defer s.mu.Unlock()
	stock := 0
	for _, count := range s.reserved {
		stock += count
	}
	return stock
}

type order struct {
	Count int `json:"count"`
}

type reservation struct {
	Key string `json:"key"`
}

func (s *shop) worker(address string) *backstep.Worker {
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	w := backstep.NewWorker(address, "shop", backstep.Logger(quiet))
	backstep.Command(w, "reserve", s.reserve)
	backstep.Undo(w, "release", s.release)
	return w
}

func (s *shop) reserve(_ context.Context, p order, step backstep.Step) (reservation, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := step.IdempotencyKey
	if s.undone[key] && !s.reservesLate {
		return reservation{}, backstep.Terminal(backstep.ErrSuperseded, "")
	}
	if s.forgetsKeys {
		s.reserved[key] += p.Count
	} else {
		s.reserved[key] = p.Count
	}
	return reservation{key}, nil
}

func (s *shop) release(_ context.Context, p order, step backstep.Step) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, isKnown := backstep.Forward[reservation](step)
	switch {
	case s.undoesNothing || s.needsOutput && !isKnown:
	case s.takesBackNil:
		s.reserved[step.ForwardKey] -= p.Count
	default:
		delete(s.reserved, step.ForwardKey)
	}
	s.undone[step.ForwardKey] = true
	return nil
}

func contractOf(s *shop) Contract {
	s.reserved, s.undone = map[string]int{}, map[string]bool{}
	return Contract{
		Worker: s.worker, Module: "shop", Command: "reserve", Undo: "release",
		Parameters: order{Count: 2}, World: s.world,
	}
}

func TestACommandThatKeepsTheRulesPasses(t *testing.T) {
	UndoContract(t, contractOf(&shop{}))
}

func TestACommandThatBreaksARuleIsFound(t *testing.T) {
	for name, broken := range map[string]*shop{
		"twice is twice":               {forgetsKeys: true},
		"an undo of nothing":           {takesBackNil: true},
		"an effect after the undo":     {reservesLate: true},
		"an undo without known output": {needsOutput: true},
		"no undo at all":               {undoesNothing: true},
	} {
		t.Run(name, func(t *testing.T) {
			c := contractOf(broken)
			g := New(t)
			RunWorker(t, c.Worker(g.URL))
			for _, tried := range plays {
				if perform(g, c, tried) != "" {
					return
				}
			}
			t.Error("nothing was found")
		})
	}
}
