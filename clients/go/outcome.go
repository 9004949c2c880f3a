package backstep

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
)

// Sentinels for errors.Is.
var (
	// ErrLeaseLost: the claim is over, so another attempt may have begun. The cause of the context
	// of such an attempt is a *Cancelled that wraps it.
	ErrLeaseLost = errors.New("backstep: the lease of this attempt is over")
	// ErrStopping: the worker stops and its grace is over.
	ErrStopping = errors.New("backstep: the worker stops")
	// ErrStaleToken: an attempt with a higher fencing token has been at this barrier.
	ErrStaleToken = errors.New("backstep: a newer attempt has taken over")
	// ErrSuperseded: the step has been rolled back, so its effect must not happen any more.
	ErrSuperseded = errors.New("backstep: the step was rolled back")
)

// Cancelled is the cause of a context that ended before its deadline: see context.Cause.
type Cancelled struct {
	// Reason is what the gateway said, such as "terminated", or "lease_lost" or "stopping" where
	// the worker itself has ended the attempt.
	Reason string
	err    error
}

func (c *Cancelled) Error() string { return "backstep: cancelled: " + c.Reason }

// Unwrap returns ErrLeaseLost or ErrStopping where one of them is why, else nil.
func (c *Cancelled) Unwrap() error { return c.err }

// TerminalError fails the action for good: trying again is pointless, and the way back begins.
type TerminalError struct {
	Err error
	// Code is what catch and retry of flows can name: at most 64 capitals, digits and underscores,
	// beginning with a capital. Empty: no code.
	Code string
}

func (e *TerminalError) Error() string { return orNamed(e.Err).Error() }

// Unwrap returns the error that the command gave.
func (e *TerminalError) Unwrap() error { return e.Err }

// Terminal returns err as a *TerminalError with a code for catch and retry of flows, or "".
func Terminal(err error, code string) error { return &TerminalError{Err: orNamed(err), Code: code} }

// RetryError fails the attempt: the action is tried again while the flow's retry lasts.
type RetryError struct {
	Err error
	// Code is as in TerminalError. Empty: no code.
	Code string
	// After is how long the next attempt waits; 0: the flow's retry says it.
	After time.Duration
}

func (e *RetryError) Error() string { return orNamed(e.Err).Error() }

// Unwrap returns the error that the command gave.
func (e *RetryError) Unwrap() error { return e.Err }

// Retry returns err as a *RetryError. A plain error means the same, without a time to wait.
func Retry(err error, after time.Duration) error { return &RetryError{Err: orNamed(err), After: after} }

// LookAgainError says that the work was begun and goes on elsewhere.
type LookAgainError struct {
	// After is when the command is called again; this costs no attempt.
	After time.Duration
	// Err is why, or nil.
	Err error
}

func (e *LookAgainError) Error() string {
	if e.Err != nil {
		return e.Err.Error()
	}
	return fmt.Sprintf("backstep: look again in %s", e.After)
}

// Unwrap returns why the command is to be called again, or nil.
func (e *LookAgainError) Unwrap() error { return e.Err }

// LookAgain returns a *LookAgainError: call the command again after d.
func LookAgain(d time.Duration) error { return &LookAgainError{After: d} }

// LaterError leaves the completion to another system, which has the step's CompletionToken.
type LaterError struct {
	// Timeout is how long the step waits for the report before the attempt has failed; 0: as long
	// as there is time for the action.
	Timeout time.Duration
}

func (e *LaterError) Error() string {
	return fmt.Sprintf("backstep: completed from outside within %s", e.Timeout)
}

// Later returns a *LaterError: the outcome is reported with Step.CompletionToken within timeout.
// A timeout of 0 is the time that is left for the action.
func Later(timeout time.Duration) error { return &LaterError{Timeout: timeout} }

func orNamed(err error) error {
	if err == nil {
		return errors.New("no error was given")
	}
	return err
}

// outcome is how an attempt ended, as it is reported: a verb of the claim and a body.
type outcome struct {
	verb string
	report
}

// Codes of failures that the worker itself reports.
const (
	invalidParameters = "INVALID_PARAMETERS"
	invalidOutput     = "INVALID_OUTPUT"
	outputTooLarge    = "OUTPUT_TOO_LARGE"
	timedOut          = "TIMED_OUT"
)

// refusedWords are told in the place of those that the gateway does not take.
const refusedWords = "the gateway refused to hear how the attempt failed"

// messageBytes is the most that the gateway takes of a message.
const messageBytes = 8 << 10

// year is the longest duration that the gateway takes.
const year = 365 * 24 * time.Hour

var codeForm = regexp.MustCompile(`^[A-Z][A-Z0-9_]{0,63}$`)

// outcomeOf says how an error of a command is reported. The kind of the error decides, never its
// text.
func outcomeOf(err error) outcome {
	var again *LookAgainError
	var later *LaterError
	var terminal *TerminalError
	var retry *RetryError
	switch {
	case errors.As(err, &again):
		return outcome{"again", report{After: bounded(again.After)}}
	case errors.As(err, &later):
		if later.Timeout <= 0 {
			return outcome{"later", report{}}
		}
		return outcome{"later", report{Timeout: bounded(later.Timeout)}}
	case errors.As(err, &terminal):
		return failure(err, terminal.Code, false)
	case errors.As(err, &retry):
		failed := failure(err, retry.Code, true)
		if retry.After > 0 {
			failed.After = bounded(retry.After)
		}
		return failed
	default:
		return failure(err, "", true)
	}
}

func failure(err error, code string, retryable bool) outcome {
	message := err.Error()
	if code != "" && !codeForm.MatchString(code) {
		message = fmt.Sprintf("%s (the code %q is not of the form %s)", message, code, codeForm)
		code = ""
	}
	if message == "" {
		message = fmt.Sprintf("%T without a message", err)
	}
	return outcome{"fail", report{
		Code: code, Message: cutText(message, messageBytes), Retryable: &retryable,
	}}
}

func bounded(d time.Duration) *duration {
	wire := duration(min(max(d, 0), year))
	return &wire
}

// cutText returns text within a number of bytes, with a sign where its end was cut, and without
// half a character. JSON would write three bytes for each one that is no UTF-8.
func cutText(text string, bytes int) string {
	const sign = "…"
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= bytes {
		return text
	}
	cut := bytes - len(sign)
	for cut > 0 && text[cut]&0xC0 == 0x80 {
		cut--
	}
	return text[:cut] + sign
}
