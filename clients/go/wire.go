package backstep

import (
	"encoding/json"
	"strconv"
	"time"
)

// protocol is the number of the worker protocol that this package speaks.
const protocol = "1"

// version of this package, as the gateway shows it.
const version = "0.1.0"

// registration is the body of PUT /v1/workers/{worker}.
type registration struct {
	Modules map[string]map[string]served `json:"modules"`
	Build   string                       `json:"build,omitempty"`
	Slots   int                          `json:"slots"`
	Host    string                       `json:"host,omitempty"`
	SDK     string                       `json:"sdk"`
}

// served is what a registration says of a command.
type served struct {
	// Output is a JSON Schema that its output must fit.
	Output json.RawMessage `json:"output,omitempty"`
	// Secrets names the members of its output that are sealed before anything is stored.
	Secrets []string `json:"secrets,omitempty"`
}

// beatInterval is the member that tells when the next heartbeat is expected.
type beatInterval struct {
	HeartbeatMs int64 `json:"heartbeatMs"`
}

// order is the body of POST /v1/work:poll.
type order struct {
	Modules  []string `json:"modules"`
	Commands []string `json:"commands,omitempty"`
	Worker   string   `json:"worker"`
	Max      int      `json:"max"`
	Wait     duration `json:"wait"`
	Lease    duration `json:"lease"`
	PollID   string   `json:"pollId,omitempty"`
	Build    string   `json:"build,omitempty"`
}

// delivery is the answer to a poll, and a part of the answer to an outcome.
type delivery struct {
	Items        []item `json:"items"`
	Drain        bool   `json:"drain"`
	RetryAfterMs int64  `json:"retryAfterMs"`
}

// item is one action that the gateway has handed out to this worker.
type item struct {
	Claim           string                     `json:"claim"`
	TaskID          string                     `json:"taskId"`
	Flow            string                     `json:"flow"`
	Step            string                     `json:"step"`
	Run             string                     `json:"run"`
	Direction       Direction                  `json:"direction"`
	Module          string                     `json:"module"`
	Command         string                     `json:"command"`
	Parameters      json.RawMessage            `json:"parameters"`
	Labels          map[string]string          `json:"labels"`
	Results         map[string]json.RawMessage `json:"results"`
	Attempt         int                        `json:"attempt"`
	IdempotencyKey  string                     `json:"idempotencyKey"`
	ForwardKey      string                     `json:"forwardKey"`
	Forward         *ForwardResult             `json:"forward"`
	FencingToken    int64                      `json:"fencingToken"`
	CompletionToken string                     `json:"completionToken"`
	WaitedMs        int64                      `json:"waitedMs"`
	LeaseMs         int64                      `json:"leaseMs"`
	TimeLeftMs      *int64                     `json:"timeLeftMs"`
	AttemptLeftMs   *int64                     `json:"attemptTimeLeftMs"`
	Confirm         bool                       `json:"confirm"`
	Traceparent     string                     `json:"traceparent"`
}

// pulse is the body of POST /v1/work:heartbeat.
type pulse struct {
	Worker string       `json:"worker"`
	Claims []claimPulse `json:"claims"`
}

// claimPulse renews one claim, and carries what its attempt has said since the last time.
type claimPulse struct {
	Claim      string    `json:"claim"`
	Progress   *progress `json:"progress,omitempty"`
	Log        []logLine `json:"log,omitempty"`
	LogDropped int       `json:"logDropped,omitempty"`
}

// pulseAnswer is the answer to a heartbeat.
type pulseAnswer struct {
	Claims      []claimState `json:"claims"`
	HeartbeatMs int64        `json:"heartbeatMs"`
}

// claimState is what has become of a claim: held, cancelled, lost or ended.
type claimState struct {
	Claim        string `json:"claim"`
	State        string `json:"state"`
	Reason       string `json:"reason"`
	LeaseMs      int64  `json:"leaseMs"`
	StopWithinMs int64  `json:"stopWithinMs"`
}

// progress of a running attempt, as people see it.
type progress struct {
	State   string   `json:"state,omitempty"`
	Percent *float64 `json:"percent,omitempty"`
	Message string   `json:"message,omitempty"`
}

// logLine is one line of an attempt's log.
type logLine struct {
	Level   string `json:"level,omitempty"`
	Message string `json:"message"`
	AgoMs   int64  `json:"agoMs,omitempty"`
}

// report is the body of an outcome: of :complete, :fail, :again, :later or :release.
type report struct {
	Output     json.RawMessage `json:"output,omitempty"`
	Code       string          `json:"code,omitempty"`
	Message    string          `json:"message,omitempty"`
	Retryable  *bool           `json:"retryable,omitempty"`
	After      *duration       `json:"after,omitempty"`
	Timeout    *duration       `json:"timeout,omitempty"`
	Reason     string          `json:"reason,omitempty"`
	Log        []logLine       `json:"log,omitempty"`
	LogDropped int             `json:"logDropped,omitempty"`
	Poll       *nextOrder      `json:"poll,omitempty"`
}

// nextOrder asks for the next actions in the answer to an outcome.
type nextOrder struct {
	Max int `json:"max"`
}

// duration travels as text in milliseconds, such as "30000ms".
type duration time.Duration

func (d duration) MarshalText() ([]byte, error) {
	return append(strconv.AppendInt(nil, time.Duration(d).Milliseconds(), 10), "ms"...), nil
}

func millis(ms int64) time.Duration { return time.Duration(ms) * time.Millisecond }
