package main

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"forge/provider/demo"
)

// program runs forge in a folder with nothing of the person's around it.
type program struct {
	dir  string // the workspace
	home string // settings, sessions
	env  []string
}

func newProgram(t *testing.T, env ...string) *program {
	t.Helper()
	p := &program{dir: t.TempDir(), home: t.TempDir(), env: env}
	return p
}

func (p *program) command(args ...string) *exec.Cmd {
	c := exec.Command("forge", args...)
	c.Dir = p.dir
	c.Env = append(append(plainEnviron(), home(p.home)...), p.env...)
	return c
}

// plainEnviron is the environment of the tests without what they may have been started
// with: models, proxies, settings, another terminal and another language.
func plainEnviron() (out []string) {
	for _, kv := range os.Environ() {
		name, _, _ := strings.Cut(kv, "=")
		if !strings.HasSuffix(name, "_API_KEY") && !strings.HasSuffix(name, "_BASE_URL") && !strings.HasPrefix(name, "FORGE_") &&
			!strings.HasSuffix(strings.ToUpper(name), "_PROXY") {
			out = append(out, kv)
		}
	}
	return append(out, "TERM=xterm-256color", "LANG=C.UTF-8", "LANGUAGE=", "LC_ALL=", "LC_MESSAGES=")
}

// run returns what forge wrote and its exit code.
func (p *program) run(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	c := p.command(args...)
	var out, errOut bytes.Buffer
	c.Stdout, c.Stderr = &out, &errOut
	err := c.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out.String(), errOut.String(), c.ProcessState.ExitCode()
}

func (p *program) write(t *testing.T, name, text string) {
	t.Helper()
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(p.dir, name)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := writeFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (p *program) settings() string { return filepath.Join(p.home, "config", "forge", "forge.json") }

// kept is the file of the one conversation there is.
func (p *program) kept(t *testing.T) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(p.home, "state", "forge", "sessions", "*.jsonl"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	return files[0]
}

// begun is the file of a conversation with one answer in it.
func (p *program) begun(t *testing.T, model []string) string {
	t.Helper()
	if out, errOut, code := p.run(t, append(model, "-p", "first")...); out != "hello\n" || errOut != "" || code != 0 {
		t.Fatalf("exit %d, %q, %q", code, out, errOut)
	}
	return p.kept(t)
}

// sessions returns the text of every stored conversation.
func (p *program) sessions(t *testing.T) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(p.home, "state", "forge", "sessions", "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(b)
	}
	return all.String()
}

// answer is a server that says the same to every request.
func answer(t *testing.T, status int, contentType, body string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// nobodyListens returns a loopback address nothing answers at.
func nobodyListens(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	// The other end of a connection: a port that was closed would be given to another.
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c.LocalAddr().String()
}

// Every failure is one line that says what happened and what to do next. What the
// person had said is kept, and the conversation goes on once the server is well.
func TestBadServers(t *testing.T) {
	t.Parallel()
	const (
		jsonType = "application/json"
		page     = "<!doctype html><title>Welcome</title><body>Sign in</body>"
	)
	good, err := demo.Parse(strings.NewReader("expect user /(?s)where is the bug.*and now/\ntext still here\nend\n"))
	if err != nil {
		t.Fatal(err)
	}
	well := httptest.NewServer(demo.Serve(good, demo.Options{}))
	defer well.Close()
	closed := nobodyListens(t)
	for _, c := range []struct {
		name, wire, url, want string
	}{
		{"wrong key, chat", "openai",
			answer(t, 401, jsonType, `{"error":{"message":"Incorrect API key provided: sk-wrong1234567890abcdef.","type":"invalid_request_error","code":"invalid_api_key"}}`),
			"model server: Incorrect API key provided: [key removed]. (HTTP 401, auth) - key refused: check OPENAI_API_KEY"},
		{"wrong key, messages", "anthropic",
			answer(t, 401, jsonType, `{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}`),
			"model server: invalid x-api-key (HTTP 401, auth) - key refused: check ANTHROPIC_API_KEY"},
		{"nobody listens, chat", "openai", "http://" + closed,
			"model server: connection refused by " + closed + " (network) - nothing listens there: start the server, or check the base URL"},
		{"nobody listens, messages", "anthropic", "http://" + closed,
			"model server: connection refused by " + closed + " (network) - nothing listens there: start the server, or check the base URL"},
		{"wrong path, chat", "openai", answer(t, 404, "text/plain", "404 page not found"),
			"model server: 404 page not found (HTTP 404, invalid) - nothing answers at this address: check the base URL (most end in /v1)"},
		{"wrong path, messages", "anthropic", answer(t, 404, "text/plain", "404 page not found"),
			"model server: 404 page not found (HTTP 404, invalid) - nothing answers at this address: check the base URL (most end in /v1)"},
		{"a web page, chat", "openai", answer(t, 200, "text/html", page),
			"model server: a web page answered instead of a model server: " + page + " (invalid) - check --base-url: it usually ends in /v1"},
		{"a web page, messages", "anthropic", answer(t, 200, "text/html", page),
			"model server: the reply is not an event stream, it begins: " + page +
				" (invalid) - check the base URL: it must be that of an Anthropic-format API, usually ending in /v1 or /anthropic"},
		{"unknown model, chat", "openai",
			answer(t, 404, jsonType, `{"error":{"message":"The model 'm' does not exist or you do not have access to it.","type":"invalid_request_error","code":"model_not_found"}}`),
			"model server: The model 'm' does not exist or you do not have access to it. (HTTP 404, invalid) - model not found: forge models lists what there is"},
		{"unknown model, messages", "anthropic",
			answer(t, 404, jsonType, `{"type":"error","error":{"type":"not_found_error","message":"model: m"}}`),
			"model server: model: m (HTTP 404, invalid) - model not found: forge models lists what there is"},
		{"too long, chat", "openai",
			answer(t, 400, jsonType, `{"error":{"message":"This model's maximum context length is 128000 tokens. However, your messages resulted in 250021 tokens.","type":"invalid_request_error","code":"context_length_exceeded"}}`),
			"model server: This model's maximum context length is 128000 tokens. However, your messages resulted in 250021 tokens. (HTTP 400, overflow)" +
				" - the model takes 128000 tokens: use /compact, or a model with a larger window"},
		{"too long, messages", "anthropic",
			answer(t, 400, jsonType, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 250021 tokens > 200000 maximum"}}`),
			"model server: prompt is too long: 250021 tokens > 200000 maximum (HTTP 400, overflow) - the model takes 200000 tokens: use /compact, or a model with a larger window"},
		{"no money", "openai",
			answer(t, 429, jsonType, `{"error":{"message":"You exceeded your current quota.","type":"insufficient_quota","code":"insufficient_quota"}}`),
			"model server: You exceeded your current quota. (HTTP 429, quota) - no credit left: top up the account, or use another endpoint"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newProgram(t)
			at := func(base string) {
				p.env = []string{"OPENAI_API_KEY=sk-wrong1234567890abcdef", "OPENAI_BASE_URL=" + base + "/v1"}
				if c.wire == "anthropic" {
					p.env = []string{"ANTHROPIC_API_KEY=sk-ant-wrong1234567890", "ANTHROPIC_BASE_URL=" + base}
				}
			}
			at(c.url)
			out, errOut, code := p.run(t, "-p", "where is the bug?", "-m", c.wire+"/m")
			if out != "" || errOut != "forge: "+c.want+"\n" || code != 1 {
				t.Errorf("exit %d\nstdout %q\nstderr %q\nwant   %q", code, out, errOut, "forge: "+c.want+"\n")
			}
			if !strings.Contains(p.sessions(t), "where is the bug?") {
				t.Error("the prompt is not in the session")
			}
			at(well.URL)
			out, errOut, code = p.run(t, "-c", "-p", "and now?", "-m", c.wire+"/m")
			if out != "still here\n" || errOut != "" || code != 0 {
				t.Errorf("afterwards: exit %d, %q, %q", code, out, errOut)
			}
		})
	}
}

// What is wrong with the command line, the settings and a script.
func TestBadWords(t *testing.T) {
	t.Parallel()
	closed := nobodyListens(t)
	for _, c := range []struct {
		name, settings string
		env, args      []string
		code           int
		out, want      string // HERE is the folder, SETTINGS the file
	}{
		{name: "unknown provider", args: []string{"--provider", "opneai"}, code: 1,
			want: `no provider "opneai": did you mean openai? forge models lists all`},
		{name: "strange provider", args: []string{"--provider", "nobodyknows"}, code: 1,
			want: `no provider "nobodyknows": forge models lists all; any other server goes with --base-url`},
		{name: "no key", args: []string{"-m", "anthropic/claude-sonnet-5"}, code: 1,
			want: "anthropic needs a key: set ANTHROPIC_API_KEY, or give it with forge login anthropic"},
		{name: "address without scheme", args: []string{"--base-url", "localhost/v1"}, code: 1,
			want: `base URL "localhost/v1": write it with its scheme, like https://host/v1`},
		{name: "nobody to ask for a model", args: []string{"--base-url", "http://" + closed + "/v1"}, code: 1,
			want: "which model at http://" + closed + `/v1? asking it failed (list models of custom: dial tcp ` + closed +
				": connect: connection refused): name one with --model"},
		{name: "empty prompt", args: []string{"-p", " \n"}, code: 2,
			want: "the prompt is empty: give one after -p, or on stdin"},
		{name: "bad script", args: []string{"-C", ".", "--demo=bad.script"}, code: 1,
			want: `read bad.script: line 2: unknown directive "say": want think, text, call, rawcall, pause, error, cut, usage, expect, when, otherwise or end`},
		{name: "missing script", args: []string{"-C", ".", "--demo=missing.script"}, code: 1,
			want: "play a script: open missing.script: no such file or directory"},
		{name: "malformed settings", settings: "{\n  \"model\": \"x\",\n  \"theme\" \"dark\"\n}\n", args: []string{"-C", ".", "--demo=good.script"}, out: "hello\n",
			want: `SETTINGS: line 3, column 11: invalid character '"' after object name; nothing of this file is used until that is mended`},
		{name: "unknown setting", settings: "{\n  \"max_turn\": 3\n}\n", args: []string{"-C", ".", "--demo=good.script"}, out: "hello\n",
			want: `SETTINGS:2: unknown setting "max_turn"; did you mean "max_turns"?; left out`},
		{name: "setting of the wrong kind", settings: "{\n\n  \"max_turns\": \"many\"\n}\n", args: []string{"-C", ".", "--demo=good.script"}, out: "hello\n",
			want: "SETTINGS:3: max_turns: must be a whole number, not string; left out"},
		{name: "rule that is none", settings: `{"permissions": {"allow": ["((("]}}`, args: []string{"-C", ".", "--demo=good.script"}, out: "hello\n",
			want: `SETTINGS:1: rule "(((": want Tool or Tool(pattern), for example run_bash(go test *); left out`},
		{name: "rule that would deny and is none", settings: "{\"permissions\": {\n\"deny\": [\"(((\"]}}", args: []string{"-C", ".", "--demo=good.script"}, out: "hello\n",
			want: `SETTINGS:2: rule "(((": want Tool or Tool(pattern), for example run_bash(go test *); until that is mended forge asks before everything and no allow rule counts`},
		{name: "rule that allows too much", settings: `{"permissions": {"allow": ["run_bash(sudo *)"]}}`, args: []string{"-C", ".", "--demo=good.script"}, out: "hello\n",
			want: "SETTINGS:1: allow run_bash(sudo *) is not in force: sudo x is HIGH, which is asked about each time: runs as another user"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newProgram(t, c.env...)
			p.write(t, "good.script", "text hello\nend\n")
			p.write(t, "bad.script", "text hello\nsay it\nend\n")
			if c.settings != "" {
				p.write(t, p.settings(), c.settings)
			}
			args := c.args
			if args[0] != "-p" {
				args = append([]string{"-p", "hi"}, args...)
			}
			out, errOut, code := p.run(t, args...)
			want := "forge: " + strings.ReplaceAll(c.want, "SETTINGS", p.settings()) + "\n"
			if out != c.out || errOut != want || code != c.code {
				t.Errorf("exit %d, want %d\nstdout %q\nstderr %q\nwant   %q", code, c.code, out, errOut, want)
			}
		})
	}
}

// A binary file and a folder that may not be read are told to the model, which
// goes on; a workspace that may not be read is told to the person.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.write(t, "pic.bin", "PNG\x00\x01\x02\xff\xfe")
	p.write(t, "locked/in.txt", "secret")
	p.write(t, "look.script", `call read_file {"path":"pic.bin"}
call list_dir {"path":"locked"}
end
expect result[read_file] /pic.bin is a binary file/
expect failed[list_dir]
expect result[list_dir] /locked.*permission denied/
text neither can be read
end
`)
	locked := filepath.Join(p.dir, "locked")
	if err := os.Chmod(locked, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(locked, 0o755) })
	person := p.unprivileged(t)
	out, errOut, code := person("-p", "look", "-C", ".", "--demo=look.script")
	if out != "neither can be read\n" || errOut != "" || code != 0 {
		t.Errorf("exit %d, %q, %q", code, out, errOut)
	}
	out, errOut, code = person("-p", "look", "-C", "locked", "--demo=look.script")
	if out != "" || code != 2 || errOut != "forge: work in "+locked+": permission denied; give another folder with -C\n" {
		t.Errorf("exit %d, %q, %q", code, out, errOut)
	}
}

// What is wrong with the settings is said by each command that judges by them.
func TestExplainTellsWhatIsWrongWithTheRules(t *testing.T) {
	p := newProgram(t)
	p.write(t, p.settings(), "{\n  \"permissions\": {\n    \"allow\": [\"run_bash(go test *)\"],\n    \"deny\": [\"run_bash(rm\"],\n    \"bogus\": 3\n  }\n}\n")
	out, errOut, code := p.run(t, "permissions", "explain", "--json", "--", "go test ./...")
	if code != 0 || !strings.Contains(out, `"decision": "ask"`) {
		t.Errorf("code %d, %s", code, out)
	}
	for _, want := range []string{":4: rule \"run_bash(rm\": want Tool or Tool(pattern)", ":5: unknown setting", "asks before everything"} {
		if !strings.Contains(errOut, want) {
			t.Errorf("%q is missing in\n%s", want, errOut)
		}
	}
}
