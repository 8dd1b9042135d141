package main

import (
	"encoding/json"
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"forge/ui/doctor"
)

// findings runs forge doctor --json and returns the levels and texts by ID. Whatever
// it prints holds none of these keys.
func findings(t *testing.T, p *program, keys []string, args ...string) (map[string]string, map[string]string, int) {
	t.Helper()
	out, errOut, code := p.run(t, append([]string{"doctor", "--json"}, args...)...)
	var r struct {
		Ok       bool
		Findings []struct{ ID, Area, Level, Text, Fix string }
	}
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatalf("%v\n%s%s", err, out, errOut)
	}
	for _, k := range keys {
		if strings.Contains(out+errOut, k) {
			t.Errorf("the key %s was printed:\n%s", k, out)
		}
	}
	levels, texts := map[string]string{}, map[string]string{}
	for _, f := range r.Findings {
		levels[f.ID], texts[f.ID] = f.Level, f.Text+" -> "+f.Fix
		if f.Level != "ok" && f.Fix == "" {
			t.Errorf("%s has no way to mend it: %s", f.ID, f.Text)
		}
	}
	if r.Ok != (code == 0) {
		t.Errorf("ok %v, exit code %d", r.Ok, code)
	}
	return levels, texts, code
}

const goodKey = "sk-good-1234567890abcdefghij"

// models is a server that lists models to whoever has the key.
func modelList(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/models" {
			http.NotFound(w, r)
			return
		}
		if r.Header.Get("Authorization") != "Bearer "+goodKey && r.Header.Get("X-Api-Key") != goodKey {
			w.WriteHeader(http.StatusUnauthorized)
			w.Write([]byte(`{"error":{"message":"Incorrect API key provided","type":"invalid_request_error","code":"invalid_api_key"}}`))
			return
		}
		w.Write([]byte(`{"data":[{"id":"gpt-5.2"},{"id":"m-1"}]}`))
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func TestDoctorEndpoints(t *testing.T) {
	t.Parallel()
	at := modelList(t)
	silent := make(chan struct{})
	hung := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-silent:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(func() { close(silent); hung.Close() })
	gone := nobodyListens(t)
	for _, c := range []struct {
		name      string
		env, args []string
		level     string
		want      []string
		code      int
	}{
		{"well", []string{"OPENAI_API_KEY=" + goodKey, "OPENAI_BASE_URL=" + at + "/v1"}, []string{"-m", "openai/m-1"}, "ok", []string{"answered in", "2 models"}, 0},
		{"messages", []string{"ANTHROPIC_API_KEY=" + goodKey, "ANTHROPIC_BASE_URL=" + at}, []string{"-m", "anthropic/m-1"}, "ok", []string{"2 models"}, 0},
		{"wrong key", []string{"OPENAI_API_KEY=sk-wrong-1234567890abcdef", "OPENAI_BASE_URL=" + at + "/v1"}, []string{"-m", "openai/m-1"}, "fail", []string{"HTTP 401", "key refused: check OPENAI_API_KEY"}, 1},
		{"nobody listens", []string{"OPENAI_API_KEY=" + goodKey, "OPENAI_BASE_URL=http://" + gone + "/v1"}, []string{"-m", "openai/m-1"}, "fail", []string{"refused", "check the address"}, 1},
		{"no list", []string{"OPENAI_API_KEY=" + goodKey, "OPENAI_BASE_URL=" + at + "/elsewhere"}, []string{"-m", "openai/m-1"}, "warn", []string{"no list of models"}, 0},
		{"a web page", []string{"OPENAI_API_KEY=" + goodKey, "OPENAI_BASE_URL=" + answer(t, 200, "text/html", "<p>hi") + "/v1"}, []string{"-m", "openai/m-1"}, "fail", []string{"no JSON", "most end in /v1"}, 1},
		{"no answer", []string{"OPENAI_API_KEY=" + goodKey, "OPENAI_BASE_URL=" + hung.URL + "/v1"}, []string{"-m", "openai/m-1"}, "fail", []string{"no answer within", "network"}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newProgram(t, c.env...)
			key := strings.SplitN(c.env[0], "=", 2)[1]
			began := time.Now()
			levels, texts, code := findings(t, p, []string{key}, c.args...)
			name := strings.ToLower(strings.SplitN(c.env[0], "_", 2)[0])
			id := "endpoint." + name
			if levels[id] != c.level || code != c.code {
				t.Errorf("%s %s, exit %d: %s", id, levels[id], code, texts[id])
			}
			for _, w := range c.want {
				if !strings.Contains(texts[id], w) {
					t.Errorf("no %q in %q", w, texts[id])
				}
			}
			if levels["key."+name] != "ok" {
				t.Errorf("the key: %s %s", levels["key."+name], texts["key."+name])
			}
			if took := time.Since(began); took > time.Minute {
				t.Errorf("it took %s", took)
			}
		})
	}
}

// An endpoint that was not chosen is no failure, and a model that a server does not
// list is told.
func TestDoctorOthersEndpoints(t *testing.T) {
	t.Parallel()
	at := modelList(t)
	p := newProgram(t, "OPENAI_API_KEY="+goodKey, "OPENAI_BASE_URL="+at+"/v1", "DEEPSEEK_API_KEY=\"sk-quoted-12345678\"", "DEEPSEEK_BASE_URL=http://"+nobodyListens(t))
	levels, texts, code := findings(t, p, []string{goodKey, "sk-quoted-12345678"}, "-m", "openai/m-9")
	want := map[string]string{"endpoint.openai": "ok", "model.listed": "warn", "endpoint.deepseek": "warn", "key.deepseek": "warn", "key.openai": "ok"}
	for id, level := range want {
		if levels[id] != level {
			t.Errorf("%s is %q: %s", id, levels[id], texts[id])
		}
	}
	if code != 0 || !strings.Contains(texts["key.deepseek"], "quotes") {
		t.Errorf("exit %d, %s", code, texts["key.deepseek"])
	}
}

func TestDoctorSettings(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.write(t, p.settings(), "{\n \"max_turn\": 3,\n \"api_key_env\": \"NOT_SET_ANYWHERE\", \"sandbox\": \"off\"\n}\n")
	if err := os.Chmod(p.settings(), 0o600); err != nil {
		t.Fatal(err)
	}
	p.write(t, ".mcp.json", `{"mcpServers":{"theirs":{"command":"false"}}}`)
	p.write(t, filepath.Join(p.home, "config", "forge", "mcp.json"), `{"mcpServers":{"gone":{"command":"forge-no-such-program"}}}`)
	levels, texts, code := findings(t, p, nil)
	for id, level := range map[string]string{"config.problem": "warn", "key.variable": "fail", "model.chosen": "fail", "sandbox.form": "warn",
		"trust.folder": "warn", "mcp.gone": "fail", "mcp.theirs": "warn", "state.write": "ok", "version.forge": "ok"} {
		if id == "model.chosen" && levels[id] == "ok" {
			continue // a model server runs on this machine
		}
		if levels[id] != level {
			t.Errorf("%s is %q: %s", id, levels[id], texts[id])
		}
	}
	if code != 1 || !strings.Contains(texts["config.problem"], `did you mean "max_turns"`) {
		t.Errorf("exit %d, %s", code, texts["config.problem"])
	}
	if entries, _ := os.ReadDir(filepath.Join(p.home, "state", "forge", "sessions")); len(entries) != 0 {
		t.Error("it began a conversation")
	}

	p.write(t, p.settings(), "{ this is none")
	if runtime.GOOS != "windows" {
		if err := os.Chmod(p.settings(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	levels, texts, code = findings(t, p, nil)
	if levels["config.unused"] != "fail" || code != 1 {
		t.Errorf("a broken file: %q, exit %d: %s", levels["config.unused"], code, texts["config.unused"])
	}
	if runtime.GOOS != "windows" && levels["config.user"] != "fail" {
		t.Errorf("a file others may write to: %q %s", levels["config.user"], texts["config.user"])
	}
}

// In a pipe it is plain text, in the language that is asked for.
func TestDoctorPlain(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	for tag, want := range map[string][]string{"en": {"version\n  ok", "sandbox\n", "to look at"}, "zh": {"版本\n", "沙箱\n", "项值得看看"}} {
		out, errOut, _ := p.run(t, "doctor", "--demo", "--lang", tag)
		for _, w := range want {
			if !strings.Contains(out, w) {
				t.Errorf("%s: no %q in\n%s%s", tag, w, out, errOut)
			}
		}
		if strings.Contains(out, "\x1b") {
			t.Errorf("%s: sequences in a pipe: %q", tag, out)
		}
	}
}

// Only a build that names a place gives an address, which holds the outline, no key,
// and never more than servers take.
func TestFeedbackAddress(t *testing.T) {
	was := issues
	defer func() { issues = was }()
	c := complaint{keys: []string{goodKey}}
	for i := range 400 {
		c.report.Findings = append(c.report.Findings, doctor.Finding{ID: "mcp.s", Level: doctor.Fail, Text: strings.Repeat("it fails with "+goodKey, 1+i%3)})
	}
	if issues = ""; c.address() != "" {
		t.Errorf("an address without a place: %s", c.address())
	}
	issues = "https://example.org/forge/issues"
	u, err := url.Parse(c.address())
	if err != nil {
		t.Fatal(err)
	}
	body := u.Query().Get("body")
	if u.Path != "/forge/issues/new" || !strings.Contains(body, "fail mcp.s: it fails with [key removed]") || strings.Contains(u.String(), goodKey) || len(u.String()) > addressMax {
		t.Errorf("%d bytes: %s", len(u.String()), u)
	}
}

// The report holds what was found and no key, nobody else may read it, and the
// conversation is in it only when it was asked for.
func TestFeedback(t *testing.T) {
	t.Parallel()
	p := newProgram(t, "OPENAI_API_KEY="+goodKey, "OPENAI_BASE_URL="+modelList(t)+"/v1")
	p.write(t, "talk.script", "text the answer is blue, and the token is ghp_abcdefghijklmnopqrstuvwxyz0123456789\nend\n")
	if out, errOut, code := p.run(t, "-C", ".", "-p", "which colour", "--demo=talk.script"); code != 0 {
		t.Fatal(out, errOut)
	}
	log := filepath.Join(p.home, "state", "forge", "forge.log")
	p.write(t, log, "time=x level=INFO msg=fine\ntime=x level=WARN msg=\"broke with "+goodKey+"\"\n")
	read := func(args ...string) string {
		out, errOut, code := p.run(t, append([]string{"feedback", "--json", "-m", "openai/m-1"}, args...)...)
		var r struct{ Path, URL string }
		if err := json.Unmarshal([]byte(out), &r); err != nil || code != 0 || r.URL != "" {
			t.Fatalf("%v, exit %d\n%s%s", err, code, out, errOut)
		}
		info, err := os.Stat(r.Path)
		if err != nil {
			t.Fatal(err)
		}
		if runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("mode %#o", info.Mode().Perm())
		}
		b, err := os.ReadFile(r.Path)
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range []string{goodKey, "ghp_abcdefghijklmnopqrstuvwxyz0123456789"} {
			if strings.Contains(string(b), secret) {
				t.Errorf("%s is in the report", secret)
			}
		}
		return string(b)
	}
	text := read()
	for _, want := range []string{"# Feedback on forge", "## System", "ok endpoint.openai:", "broke with"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "blue") || strings.Contains(text, "msg=fine") {
		t.Errorf("too much in\n%s", text)
	}
	if text = read("--conversation"); !strings.Contains(text, "the answer is blue") || !strings.Contains(text, "which colour") {
		t.Errorf("no conversation in\n%s", text)
	}
	file := filepath.Join(p.dir, "mine.md")
	p.write(t, file, "precious")
	if _, errOut, code := p.run(t, "feedback", "--demo", "-o", file); code != 1 || !strings.Contains(errOut, "write the report") {
		t.Errorf("over a file that is there: exit %d %q", code, errOut)
	}
	if b, _ := os.ReadFile(file); string(b) != "precious" {
		t.Errorf("it was written over: %q", b)
	}
}

// How a question travelled is told: through which proxy, without who logs in there,
// and over which TLS; a certificate that is not trusted has its own way to mend it.
func TestDoctorProxyAndTLS(t *testing.T) {
	t.Parallel()
	list := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Write([]byte(`{"data":[{"id":"m-1"}]}`))
	})
	proxy := httptest.NewServer(list)
	t.Cleanup(proxy.Close)
	host := strings.TrimPrefix(proxy.URL, "http://")
	p := newProgram(t, "OPENAI_API_KEY="+goodKey, "OPENAI_BASE_URL=http://models.invalid/v1", "HTTP_PROXY=http://person:hunter22@"+host, "http_proxy=", "NO_PROXY=")
	levels, texts, code := findings(t, p, []string{goodKey, "hunter22"}, "-m", "openai/m-1")
	if levels["endpoint.openai"] != "warn" || code != 0 || !strings.Contains(texts["endpoint.openai"], "through the proxy "+host) || !strings.Contains(texts["endpoint.openai"], "unencrypted") {
		t.Errorf("%s: %s", levels["endpoint.openai"], texts["endpoint.openai"])
	}

	secure := httptest.NewUnstartedServer(list)
	secure.Config.ErrorLog = log.New(io.Discard, "", 0) // it complains of who does not trust it
	secure.StartTLS()
	t.Cleanup(secure.Close)
	p = newProgram(t, "OPENAI_API_KEY="+goodKey, "OPENAI_BASE_URL="+secure.URL+"/v1", "SSL_CERT_FILE=", "SSL_CERT_DIR=")
	levels, texts, code = findings(t, p, []string{goodKey}, "-m", "openai/m-1")
	if levels["endpoint.openai"] != "fail" || code != 1 || !strings.Contains(texts["endpoint.openai"], "its certificate is not trusted") {
		t.Errorf("%s: %s", levels["endpoint.openai"], texts["endpoint.openai"])
	}
	if runtime.GOOS != "linux" { // elsewhere the system alone says whom to trust
		return
	}
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: secure.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	p.env = append(p.env, "SSL_CERT_FILE="+file)
	levels, texts, _ = findings(t, p, []string{goodKey}, "-m", "openai/m-1")
	if levels["endpoint.openai"] != "ok" || !strings.Contains(texts["endpoint.openai"], "TLS 1.3") {
		t.Errorf("%s: %s", levels["endpoint.openai"], texts["endpoint.openai"])
	}
}

// What is said to be typed is what the usual shell of a system takes.
func TestFixesOfOtherSystems(t *testing.T) {
	for system, want := range map[string][2]string{
		"linux":   {"export A_KEY=…", "install bubblewrap, or a kernel with Landlock (Linux 6.2)"},
		"freebsd": {"export A_KEY=…", "look at each command before you allow it"},
		"windows": {`$env:A_KEY = "…"`, "run forge inside WSL 2, where it confines them, or look at each command before you allow it"},
	} {
		if got := [2]string{setting(system, "A_KEY"), sandboxFix(system)}; got != want {
			t.Errorf("%s: %q", system, got)
		}
	}
}
