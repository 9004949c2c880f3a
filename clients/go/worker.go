package backstep

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"sync/atomic"
	"time"
)

// Worker carries out the actions of its modules. Make one with NewWorker, give it commands with
// Command and Undo, and Run it. It must not be changed once it runs.
type Worker struct {
	url     string
	modules []*Module
	wrong   []error

	slots int
	wait  time.Duration
	lease time.Duration
	grace time.Duration
	// deaf is how long an action may go on after its context has ended with the grace.
	deaf   time.Duration
	build  string
	log    *slog.Logger
	client *http.Client
	token  func() (string, error)

	// lastAnswer is when a poll was answered last, or a heartbeat while there was no slot to ask
	// for, or when there was one again; nil: Run has not begun.
	lastAnswer atomic.Pointer[time.Time]
	// asks: a slot is free, and work is asked for.
	asks atomic.Bool
}

// Option is an option of NewWorker.
type Option func(*Worker)

// Slots is how many actions are carried out at a time. Default: 8.
func Slots(n int) Option { return func(w *Worker) { w.slots = n } }

// Token is the API key or access token, instead of that in BACKSTEP_TOKEN or in the file of
// BACKSTEP_TOKEN_FILE.
func Token(text string) Option {
	return func(w *Worker) { w.token = func() (string, error) { return text, nil } }
}

// Lease is how long a claim lives without a heartbeat: 10 s to 10 min. Default: 30 s. After the
// crash of a worker its actions are handed out again when their leases end.
func Lease(d time.Duration) Option { return func(w *Worker) { w.lease = d } }

// Wait is how long a request for work waits for an action: 0 to 30 s. Default: 20 s.
func Wait(d time.Duration) Option { return func(w *Worker) { w.wait = d } }

// Grace is how long running actions may go on after the context of Run has ended. Then their
// contexts end, and those that return because of that are handed back; 10 s later also those that
// have not returned, and Run returns without them. Default: no end.
func Grace(d time.Duration) Option { return func(w *Worker) { w.grace = d } }

// Build names the version of the worker's program, which is stored with each attempt.
func Build(name string) Option { return func(w *Worker) { w.build = name } }

// Logger takes the worker's own log and the lines of Step.Log. Default: slog.Default().
func Logger(log *slog.Logger) Option { return func(w *Worker) { w.log = log } }

// HTTPClient sends the requests, for certificates, proxies or sockets of your own. Its Timeout
// must be 0: each request has a time limit already.
func HTTPClient(client *http.Client) Option { return func(w *Worker) { w.client = client } }

// NewWorker returns a worker of the gateway at an address such as "http://127.0.0.1:7070" for a
// module. Mistakes in what it is given are told by Run.
func NewWorker(address, module string, options ...Option) *Worker {
	w := &Worker{
		url: address, slots: 8, wait: 20 * time.Second, lease: 30 * time.Second,
		deaf: 10 * time.Second, log: slog.Default(),
	}
	w.Module(module)
	for _, option := range options {
		option(w)
	}
	return w
}

// Module returns a further module of the worker, or the one of that name. One request asks for the
// actions of all of them, at most 16.
func (w *Worker) Module(name string) *Module {
	for _, m := range w.modules {
		if m.name == name {
			return m
		}
	}
	m := &Module{name: name, commands: map[string]handler{}, worker: w}
	w.modules = append(w.modules, m)
	return m
}

func (w *Worker) module() *Module { return w.modules[0] }

// Run asks for work and does it until ctx ends. Then it asks for no more, lets running actions end
// (see Grace) while their heartbeats go on, says good-bye and returns nil. It returns an error only
// for a worker that cannot begin: a gateway that is away or refuses the key is asked again and
// again, which the log tells once a minute. Each Run is a worker of its own to the gateway.
func (w *Worker) Run(ctx context.Context) error {
	base, err := w.check()
	if err != nil {
		return err
	}
	token := w.token
	if token == nil {
		if token, err = tokenFrom(os.Getenv); err != nil {
			return err
		}
	}
	g := &gateway{base: base, client: w.client, token: token}
	if g.client == nil {
		g.client = newClient(w.slots)
		defer g.client.CloseIdleConnections()
	}
	w.answered()
	newService(w, g).run(ctx)
	return nil
}

// Live returns an error when no request for work was answered for three waits, or no heartbeat
// while all slots are busy: for the liveness probe of a program that serves one. It returns nil
// before Run.
func (w *Worker) Live() error {
	last := w.lastAnswer.Load()
	if last == nil {
		return nil
	}
	if since := time.Since(*last); since > 3*(w.wait+socketReserve) {
		return fmt.Errorf("backstep: the gateway has not answered for %s", since.Round(time.Second))
	}
	return nil
}

func (w *Worker) answered() {
	now := time.Now()
	w.lastAnswer.Store(&now)
}

// What a gateway takes of a worker.
const (
	modulesMax = 16
	slotsMax   = 10_000
)

// check says what is wrong with the worker, and returns the address of the gateway.
func (w *Worker) check() (*url.URL, error) {
	wrong := w.wrong
	base, err := url.Parse(strings.TrimRight(w.url, "/"))
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		// The address itself is not told: it may have a password in it.
		wrong = append(wrong, errors.New("backstep: the address of the gateway is not an http URL"))
	}
	if len(w.modules) > modulesMax {
		wrong = append(wrong, fmt.Errorf("backstep: %d modules are more than %d", len(w.modules), modulesMax))
	}
	if w.slots < 1 || w.slots > slotsMax {
		wrong = append(wrong, fmt.Errorf("backstep: %d slots are not 1 to %d", w.slots, slotsMax))
	}
	if w.lease < 10*time.Second || w.lease > 10*time.Minute {
		wrong = append(wrong, fmt.Errorf("backstep: a lease of %s is not 10s to 10m", w.lease))
	}
	if w.wait < 0 || w.wait > 30*time.Second {
		wrong = append(wrong, fmt.Errorf("backstep: a wait of %s is not 0s to 30s", w.wait))
	}
	for _, m := range w.modules {
		if m.name == "" || len(m.commands) == 0 {
			wrong = append(wrong, fmt.Errorf("backstep: the module %q has no command", m.name))
		}
	}
	return base, errors.Join(wrong...)
}

// newClient keeps a connection for each slot, the poll and the heartbeat.
func newClient(slots int) *http.Client {
	return &http.Client{
		Transport: transportFor(slots),
		// A redirected request could take the key to another place.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// transportFor speaks HTTP/1.1: a connection on which a request was not answered in time is closed
// then. One of HTTP/2 would be kept, and a broken one would have all requests fail for minutes,
// also the heartbeats.
func transportFor(slots int) http.RoundTripper {
	standard, is := http.DefaultTransport.(*http.Transport)
	if !is {
		// The program has put one of its own in the place.
		return http.DefaultTransport
	}
	transport := standard.Clone()
	transport.MaxIdleConnsPerHost = slots + 2
	transport.ForceAttemptHTTP2 = false
	transport.TLSNextProto = map[string]func(string, *tls.Conn) http.RoundTripper{}
	if transport.TLSClientConfig != nil {
		transport.TLSClientConfig.NextProtos = nil
	}
	return transport
}

var notOfName = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// newName returns a name that no other start of a worker has: host/pid/random.
func newName() string {
	host := hostName()
	return fmt.Sprintf("%.80s/%d/%s", notOfName.ReplaceAllString(host, "-"), os.Getpid(), randomHex(6))
}

func hostName() string {
	host, err := os.Hostname()
	if err != nil || host == "" {
		return "unknown"
	}
	return host
}

func randomHex(bytes int) string {
	made := make([]byte, bytes)
	_, _ = rand.Read(made)
	return hex.EncodeToString(made)
}

// newPollID returns a UUID of version 4.
func newPollID() string {
	text := []byte(randomHex(16))
	text[12] = '4'
	text[16] = "89ab"[text[16]&3]
	return fmt.Sprintf("%s-%s-%s-%s-%s", text[:8], text[8:12], text[12:16], text[16:20], text[20:])
}
