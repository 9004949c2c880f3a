package backstep

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

// gateway sends requests to Backstep. It is safe for concurrent use.
type gateway struct {
	base   *url.URL
	client *http.Client
	token  func() (string, error)
}

// Problem is an answer of the gateway that refuses a request: problem details of RFC 9457.
type Problem struct {
	Status int
	// Code is the code of the catalogue of errors, such as "LEASE_LOST"; empty where something
	// between here and the gateway has answered.
	Code   string `json:"code"`
	Title  string `json:"title"`
	Detail string `json:"detail"`
	// Reason is that of LEASE_LOST, such as "timed_out".
	Reason string `json:"reason"`

	retryAfter time.Duration
}

func (p *Problem) Error() string {
	text := fmt.Sprintf("the gateway answered %d", p.Status)
	for _, part := range []string{p.Code, p.Detail} {
		if part != "" {
			text += ": " + part
		}
	}
	return text
}

// isRefusal says whether the credential is the trouble: the request is repeated every 30 s.
func (p *Problem) isRefusal() bool {
	return p.Status == http.StatusForbidden && p.Code != "WRONG_CLAIM" ||
		p.Status == http.StatusUnauthorized
}

// isPassing says whether the same request may be answered later. What is no decision of the gateway
// comes from what stands before it: a proxy that has no gateway at the moment answers 404, or leads
// elsewhere.
func (p *Problem) isPassing() bool {
	switch p.Status {
	case http.StatusBadRequest, http.StatusConflict, http.StatusGone,
		http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity:
		return false
	case http.StatusForbidden:
		return p.isRefusal()
	}
	return true
}

// isOfContent says whether the words of the request are what is refused.
func (p *Problem) isOfContent() bool {
	return p.Status == http.StatusBadRequest || p.Status == http.StatusRequestEntityTooLarge
}

// call is one request. The answer's JSON goes into answer, which may be nil.
type call struct {
	method string
	path   string
	body   any
	answer any
	// within is the time until the answer must be there.
	within time.Duration
}

// send sends a request once. A refusal is a *Problem; any other error means that no answer came.
func (g *gateway) send(ctx context.Context, c call) error {
	ctx, cancel := context.WithTimeout(ctx, c.within)
	defer cancel()
	request, err := g.request(ctx, c)
	if err != nil {
		return err
	}
	response, err := g.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode >= 300 {
		return problemOf(response, body)
	}
	if c.answer == nil || len(body) == 0 {
		return nil
	}
	if err := json.Unmarshal(body, c.answer); err != nil {
		return fmt.Errorf("the answer is not what protocol %s says: %w", protocol, err)
	}
	return nil
}

func (g *gateway) request(ctx context.Context, c call) (*http.Request, error) {
	var body io.Reader
	if c.body != nil {
		text, err := json.Marshal(c.body)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, c.method, g.base.String()+c.path, body)
	if err != nil {
		return nil, err
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	request.Header.Set("Backstep-Worker-Protocol", protocol)
	request.Header.Set("User-Agent", "backstep-go/"+version)
	token, err := g.token()
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	return request, err
}

func problemOf(response *http.Response, body []byte) *Problem {
	p := &Problem{}
	// A proxy may answer with a page: then the status alone counts.
	_ = json.Unmarshal(body, p)
	p.Status = response.StatusCode
	if seconds, err := strconv.ParseFloat(response.Header.Get("Retry-After"), 64); err == nil {
		p.retryAfter = time.Duration(min(max(seconds, 0), 3600) * float64(time.Second))
	}
	return p
}

// claimPath is the path of a claim, which is opaque.
func claimPath(claim, verb string) string {
	return "/v1/work/" + url.PathEscape(claim) + ":" + verb
}

// tokenFrom reads the API key from BACKSTEP_TOKEN, or from the file of BACKSTEP_TOKEN_FILE, which
// is read again for each request, so that a key can be replaced while the worker runs.
func tokenFrom(getenv func(string) string) (func() (string, error), error) {
	// A line often ends with what an editor or echo has put there, and no header carries that.
	text, file := strings.TrimSpace(getenv("BACKSTEP_TOKEN")), getenv("BACKSTEP_TOKEN_FILE")
	if text != "" && file != "" {
		return nil, errors.New("backstep: BACKSTEP_TOKEN is set twice: also as BACKSTEP_TOKEN_FILE")
	}
	return func() (string, error) {
		if file == "" {
			return text, nil
		}
		content, err := os.ReadFile(file)
		return strings.TrimSpace(string(content)), err
	}, nil
}

// Times of the client rules.
const (
	firstPause    = 100 * time.Millisecond
	longestPause  = 30 * time.Second
	refusedPause  = 30 * time.Second
	socketReserve = 10 * time.Second
	logInterval   = time.Minute
)

// backoff says how long to wait before a request is repeated. Its zero value is ready.
type backoff struct{ next time.Duration }

// after returns the pause after an error: what the gateway asks for, or full jitter below a bound
// that doubles.
func (b *backoff) after(err error) time.Duration {
	var p *Problem
	if errors.As(err, &p) {
		if p.retryAfter > 0 {
			// No earlier than told, and not all workers at once.
			return p.retryAfter + jitter(p.retryAfter)
		}
		if p.isRefusal() || !p.isPassing() {
			return refusedPause
		}
	}
	b.next = min(max(b.next*2, firstPause), longestPause)
	return jitter(b.next)
}

func (b *backoff) reset() { b.next = 0 }

func jitter(d time.Duration) time.Duration {
	if d <= 0 {
		return 0
	}
	return rand.N(d)
}

// sleep waits, or returns false when ctx ends first.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// seldom lets something happen once a minute. Its zero value is ready.
type seldom struct {
	mu   sync.Mutex
	last time.Time
}

func (s *seldom) now() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.last.IsZero() && time.Since(s.last) < logInterval {
		return false
	}
	s.last = time.Now()
	return true
}
