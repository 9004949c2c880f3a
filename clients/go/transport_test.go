package backstep

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync/atomic"
	"testing"
	"time"
)

// mutable passes connections on, and lets the first of them fall silent.
type mutable struct {
	net.Listener
	to    string
	count atomic.Int64
	mute  atomic.Bool
}

func newMutable(t *testing.T, to string) *mutable {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	m := &mutable{Listener: listener, to: to}
	t.Cleanup(func() { _ = m.Close() })
	go func() {
		for {
			from, err := m.Accept()
			if err != nil {
				return
			}
			go m.serve(from, m.count.Add(1))
		}
	}()
	return m
}

func (m *mutable) serve(from net.Conn, number int64) {
	to, err := net.Dial("tcp", m.to)
	if err != nil {
		return
	}
	pass := func(from, to net.Conn) {
		defer to.Close()
		text := make([]byte, 4096)
		for {
			n, err := from.Read(text)
			if err != nil {
				return
			}
			if !m.mute.Load() || number > 1 {
				_, _ = to.Write(text[:n])
			}
		}
	}
	go pass(from, to)
	pass(to, from)
}

func TestAConnectionThatFellSilentIsLeft(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "{}")
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	between := newMutable(t, server.Listener.Addr().String())
	base, err := url.Parse("https://" + between.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	setDefaultTransport(t, spokenHTTP2(t, server.URL))
	client := newClient(1)
	defer client.CloseIdleConnections()
	g := &gateway{base: base, client: client, token: func() (string, error) { return "", nil }}
	send := func(within time.Duration) error {
		return g.send(context.Background(), call{http.MethodPost, "/v1/work:heartbeat", nil, nil, within})
	}
	if err := send(30 * time.Second); err != nil {
		t.Fatal(err)
	}
	between.mute.Store(true)
	if err := send(time.Second); err == nil {
		t.Fatal("a silent connection has answered")
	}
	if err := send(30 * time.Second); err != nil {
		t.Error(err)
	}
}

// spokenHTTP2 is a transport that has had an answer by HTTP/2.
func spokenHTTP2(t *testing.T, address string) *http.Transport {
	made := http.DefaultTransport.(*http.Transport).Clone()
	made.TLSClientConfig = &tls.Config{InsecureSkipVerify: true}
	response, err := (&http.Client{Transport: made}).Get(address)
	if err != nil || response.ProtoMajor != 2 {
		t.Fatalf("got %v, %v", response, err)
	}
	_ = response.Body.Close()
	made.CloseIdleConnections()
	return made
}

func setDefaultTransport(t *testing.T, other http.RoundTripper) {
	before := http.DefaultTransport
	http.DefaultTransport = other
	t.Cleanup(func() { http.DefaultTransport = before })
}

type transport func(*http.Request) (*http.Response, error)

func (t transport) RoundTrip(request *http.Request) (*http.Response, error) { return t(request) }

func TestAProgramMayHaveADefaultTransportOfItsOwn(t *testing.T) {
	setDefaultTransport(t, transport(http.DefaultTransport.RoundTrip))
	if newClient(1).Transport == nil {
		t.Error("there is no transport")
	}
}
