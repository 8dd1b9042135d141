package provider

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// pipeServer answers one request through a RoundTripper whose body is a pipe, so
// that a test in a synctest bubble owns every byte and every moment.
type pipeServer struct {
	r *io.PipeReader
	w *io.PipeWriter
}

func newPipeServer() *pipeServer {
	r, w := io.Pipe()
	return &pipeServer{r, w}
}

type ctxBody struct {
	io.ReadCloser
	stop func() bool
}

func (b ctxBody) Close() error { b.stop(); return b.ReadCloser.Close() }

func (p *pipeServer) RoundTrip(r *http.Request) (*http.Response, error) {
	stop := context.AfterFunc(r.Context(), func() { p.r.CloseWithError(r.Context().Err()) })
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: ctxBody{p.r, stop}, Request: r}, nil
}

func kindOfErr(t *testing.T, err error) *Error {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("%v (%T) is no *Error", err, err)
	}
	return e
}

func TestPostSilentAfterHeaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := newPipeServer()
		body, err := Post(t.Context(), Call{Client: &http.Client{Transport: srv}, URL: "http://h/"})
		if err != nil {
			t.Fatal(err)
		}
		defer body.Close()
		began := time.Now()
		_, err = io.ReadAll(body)
		if e := kindOfErr(t, err); e.Kind != KindNetwork || !e.Temporary() || !strings.Contains(e.Message, "no byte for 1m30s") {
			t.Errorf("%v", e)
		}
		if got := time.Since(began); got != DefaultIdle {
			t.Errorf("gave up after %s, want %s", got, DefaultIdle)
		}
	})
}

func TestPostPingsOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := newPipeServer()
		body, err := Post(t.Context(), Call{Client: &http.Client{Transport: srv}, URL: "http://h/"})
		if err != nil {
			t.Fatal(err)
		}
		var pings sync.WaitGroup
		pings.Go(func() {
			for {
				time.Sleep(15 * time.Second)
				if _, err := io.WriteString(srv.w, ": ping\n\n"); err != nil {
					return
				}
			}
		})
		defer pings.Wait()
		defer body.Close()
		began := time.Now()
		_, err = io.ReadAll(body)
		if e := kindOfErr(t, err); e.Kind != KindNetwork || !strings.Contains(e.Message, "keep-alives for 10m") {
			t.Errorf("%v", e)
		}
		if got := time.Since(began); got != DefaultPayload {
			t.Errorf("gave up after %s, want %s", got, DefaultPayload)
		}
	})
}

// A model that speaks every nine minutes is slow, not dead; and a reader that is
// itself slow never looks like a dead server.
func TestPostProgressReArms(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := newPipeServer()
		body, err := Post(t.Context(), Call{Client: &http.Client{Transport: srv}, URL: "http://h/"})
		if err != nil {
			t.Fatal(err)
		}
		defer body.Close()
		go func() {
			for i := range 36 * 4 { // 36 minutes
				time.Sleep(15 * time.Second)
				io.WriteString(srv.w, map[bool]string{true: "x", false: ":"}[i%36 == 35])
			}
			srv.w.Close()
		}()
		got, buf := 0, make([]byte, 1)
		for {
			n, err := body.Read(buf)
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if n == 1 && buf[0] == 'x' {
				got++
				body.Progress()
				time.Sleep(time.Hour) // a person thinks over a question
			}
		}
		if got != 4 {
			t.Errorf("%d words, want 4", got)
		}
	})
}

func TestPostNoReply(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hang := roundTrip(func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		})
		_, err := Post(t.Context(), Call{Client: &http.Client{Transport: hang}, URL: "http://h/", Payload: time.Minute})
		if e := kindOfErr(t, err); e.Kind != KindNetwork || !strings.Contains(e.Message, "no reply for 1m") {
			t.Errorf("%v", e)
		}
	})
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// Cancelling and closing must end a Read that waits on a real socket.
func TestPostCancelAndClose(t *testing.T) {
	arrived := make(chan struct{}, 2)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(200)
		w.(http.Flusher).Flush()
		arrived <- struct{}{}
		<-r.Context().Done()
	}))
	defer srv.Close()
	for _, how := range []string{"cancel", "close"} {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		body, err := Post(ctx, Call{Client: srv.Client(), URL: srv.URL})
		if err != nil {
			t.Fatal(err)
		}
		<-arrived
		go func() {
			if how == "cancel" {
				cancel()
			} else {
				body.Close()
			}
		}()
		_, err = body.Read(make([]byte, 1))
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v, want context.Canceled", how, err)
		}
		if err := body.Close(); err != nil && how == "close" {
			t.Errorf("second close: %v", err)
		}
	}
}

func TestPostReset(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Write([]byte("data: half"))
		w.(http.Flusher).Flush()
		conn, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			conn.(*net.TCPConn).SetLinger(0) // RST, not FIN
			conn.Close()
		}
	}))
	defer srv.Close()
	body, err := Post(t.Context(), Call{Client: srv.Client(), URL: srv.URL})
	if err != nil {
		t.Fatal(err)
	}
	defer body.Close()
	text, err := io.ReadAll(body)
	if e := kindOfErr(t, err); e.Kind != KindNetwork || !e.Temporary() || !strings.Contains(e.Message, "broke") {
		t.Errorf("%v", e)
	}
	if len(text) > 0 && string(text) != "data: half" {
		t.Errorf("read %q", text)
	}
}

func TestPostSendsAndClassifies(t *testing.T) {
	var got *http.Request
	var gotBody []byte
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r
		gotBody, _ = io.ReadAll(r.Body)
		switch r.URL.Path {
		case "/ok":
			io.WriteString(w, "fine")
		case "/moved":
			http.Redirect(w, r, "https://elsewhere/v1", http.StatusMovedPermanently)
		case "/huge":
			w.WriteHeader(500)
			for range 100 {
				w.Write([]byte(strings.Repeat("x", 64<<10)))
			}
		default:
			w.WriteHeader(401)
			io.WriteString(w, `{"error":{"message":"invalid x-api-key"}}`)
		}
	}))
	defer srv.Close()
	post := func(path string) (string, error) {
		body, err := Post(t.Context(), Call{Client: srv.Client(), URL: srv.URL + path, Body: []byte(`{"a":1}`), KeyEnv: "ANTHROPIC_API_KEY",
			Header: http.Header{"x-api-key": {"k"}, "Anthropic-Version": {"2023-06-01"}}})
		if err != nil {
			return "", err
		}
		defer body.Close()
		b, err := io.ReadAll(body)
		return string(b), err
	}
	if text, err := post("/ok"); err != nil || text != "fine" {
		t.Fatalf("%q %v", text, err)
	}
	if string(gotBody) != `{"a":1}` || got.Header.Get("X-Api-Key") != "k" || got.Header.Get("Content-Type") != "application/json" || got.Method != "POST" || got.Header.Get("User-Agent") != "forge" {
		t.Errorf("sent %s %v %s", got.Method, got.Header, gotBody)
	}
	_, err := post("/no")
	if e := kindOfErr(t, err); e.Kind != KindAuth || e.Hint != "key refused: check ANTHROPIC_API_KEY" {
		t.Errorf("%v hint %q", e, e.Hint)
	}
	_, err = post("/moved")
	if e := kindOfErr(t, err); e.Kind != KindInvalid || !strings.Contains(e.Message, "https://elsewhere/v1") || !strings.Contains(e.Hint, "base-url") {
		t.Errorf("%v hint %q", e, e.Hint)
	}
	_, err = post("/huge")
	if e := kindOfErr(t, err); e.Kind != KindServer || len(e.Message) > messageMax+8 {
		t.Errorf("%s, %d bytes", e.Kind, len(e.Message))
	}
}

func TestPostNetworkErrors(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := l.Addr().String()
	l.Close()
	tlsSrv := httptest.NewUnstartedServer(nil)
	tlsSrv.Config.ErrorLog = quietLog()
	tlsSrv.StartTLS()
	defer tlsSrv.Close()
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	noHost := roundTrip(func(*http.Request) (*http.Response, error) {
		return nil, &net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", Name: "api.exmaple.com", IsNotFound: true}}
	})
	proxy := roundTrip(func(*http.Request) (*http.Response, error) {
		return nil, &net.OpError{Op: "proxyconnect", Err: errors.New("connection refused")}
	})
	for _, c := range []struct {
		name, url, message, hint string
		rt                       http.RoundTripper
		kind                     Kind
		retry                    bool
	}{
		{"refused", "http://" + closed + "/v1", "connection refused by " + closed, "start the server", nil, KindNetwork, false},
		{"unknown authority", tlsSrv.URL, "unknown authority", "SSL_CERT_FILE", nil, KindNetwork, false},
		{"https to http", strings.Replace(plain.URL, "http:", "https:", 1), "plain HTTP", "http://", nil, KindNetwork, false},
		{"no such host", "https://api.exmaple.com/v1", "no such host: api.exmaple.com", "base URL", noHost, KindNetwork, true},
		{"proxy", "https://h/v1", "proxy", "HTTPS_PROXY", proxy, KindNetwork, true},
		{"no scheme", "api.openai.com/v1", "bad base URL", "https://host/v1", nil, KindInvalid, false},
		{"bad url", "http://[::1", "bad base URL", "https://host/v1", nil, KindInvalid, false},
	} {
		rt := c.rt
		if rt == nil {
			rt = &http.Transport{}
		}
		_, err := Post(t.Context(), Call{Client: &http.Client{Transport: rt}, URL: c.url})
		e := kindOfErr(t, err)
		if e.Kind != c.kind || !strings.Contains(e.Message, c.message) || !strings.Contains(e.Hint, c.hint) || e.Temporary() != c.retry {
			t.Errorf("%s: %s %q hint %q retry %v", c.name, e.Kind, e.Message, e.Hint, e.Temporary())
		}
	}
}

func quietLog() *log.Logger { return log.New(io.Discard, "", 0) }
