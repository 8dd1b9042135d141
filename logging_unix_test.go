//go:build unix

package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// What forge does is in a log of its own, with no key and none of what was said, and
// forge logs shows it, of one conversation too. Without --debug there is none.
func TestDebugLog(t *testing.T) {
	t.Parallel()
	url, _ := guarded(t, "good-key-12345", "hello there")
	p := newProgram(t)
	p.env = append(p.env, "OPENAI_BASE_URL="+url, "OPENAI_API_KEY=good-key-12345")
	run := func(code int, args ...string) (string, string) {
		t.Helper()
		out, errOut, got := p.run(t, args...)
		if got != code {
			t.Fatalf("%q: exit %d, %q, %q", args, got, out, errOut)
		}
		return out, errOut
	}
	if _, errOut := run(0, "-p", "say hi to me", "-m", "openai/demo"); errOut != "" {
		t.Errorf("%q", errOut)
	}
	if _, errOut := run(0, "logs"); !strings.Contains(errOut, "forge --debug has logged nothing yet") {
		t.Errorf("%q", errOut)
	}
	out, errOut := run(0, "-p", "say hi to me", "-m", "openai/demo", "-d")
	if out != "hello there\n" || errOut != "" {
		t.Errorf("%q, %q", out, errOut)
	}
	out, _ = run(0, "logs")
	for _, want := range []string{"model chosen provider=openai model=demo", "request n=2 method=POST url=" + url + "/chat/completions", "response n=2 status=200", "reply ended n=2", "turn n=1 model=demo", "turn ended stop=", "run ended"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if strings.Contains(out, "good-key") || strings.Contains(out, "say hi") || strings.Contains(out, "hello there") {
		t.Errorf("what is secret or was said is in it:\n%s", out)
	}
	nowhereIn(t, filepath.Join(p.home, "state"), "good-key-12345")
	line := strings.Split(strings.TrimSpace(out), "\n")
	last := line[len(line)-1]
	id := strings.Trim(last[strings.LastIndexByte(last, '['):], "[]")
	if one, _ := run(0, "logs", id); !strings.Contains(one, "run ended") || strings.Contains(one, "forge begins") {
		t.Errorf("of %q: %s", id, one)
	}
	if all, _ := run(0, "logs", "-n", "9223372036854775807"); all != out {
		t.Errorf("all of it: %s", all)
	}
	if none, _ := run(0, "logs", "nobody"); none != "" {
		t.Errorf("%q", none)
	}
	if warn, _ := run(0, "logs", "--level", "error"); warn != "" {
		t.Errorf("%q", warn)
	}
	if js, _ := run(0, "logs", "--json", "-n", "1"); strings.Count(js, "\n") != 1 || !strings.HasPrefix(js, `{"time":`) {
		t.Errorf("%q", js)
	}
}

// A key in the path of an address, where some gateways take it, is told nowhere either.
func TestLogOfAnAddress(t *testing.T) {
	t.Parallel()
	url, _ := guarded(t, "", "hello there")
	p := newProgram(t, "OLLAMA_HOST=127.0.0.1:1")
	const key = "8f3a9c1d7e2b6a40"
	said := ""
	for _, base := range []string{strings.TrimSuffix(url, "/v1") + "/gw/" + key + "/v1", "http://127.0.0.1:1/gw/" + key + "/v1"} {
		for _, args := range [][]string{{"-p", "hi", "-d", "-m", "demo", "--raw", "raw.jsonl"}, {"-p", "hi", "-d"}, {"models", "custom"}, {"doctor"}} {
			out, errOut, _ := p.run(t, append(args, "--base-url", base)...)
			said += out + errOut
		}
	}
	if !strings.Contains(said, "[key removed]") || strings.Contains(said, key) {
		t.Errorf("%s", said)
	}
	out, _, _ := p.run(t, "logs")
	if !strings.Contains(out, "/gw/[key removed]/v1/chat/completions") {
		t.Errorf("%s", out)
	}
	nowhereIn(t, filepath.Join(p.home, "state"), key)
	nowhereIn(t, p.dir, key)
}

// --verbose tells the same on stderr, beside an answer that stays as it is.
func TestVerbose(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.write(t, "do.script", "call run_bash {\"command\": \"ls\"}\nend\n\ncall run_bash {\"command\": \"rm -r x\"}\nend\n\ntext done\nend\n")
	out, errOut, code := p.run(t, "-p", "hi", "-C", ".", "--demo=do.script", "--verbose")
	if out != "done\n" || code != 3 {
		t.Errorf("exit %d, %q, %q", code, out, errOut)
	}
	for _, want := range []string{"call prepared tool=run_bash", "permission tool=run_bash", "decision=allow", "decision=ask", "permission answered tool=run_bash", "allowed=false", "call ended tool=run_bash", "run ended"} {
		if !strings.Contains(errOut, want) {
			t.Errorf("no %q in\n%s", want, errOut)
		}
	}
	if _, errOut, code := p.run(t, "--verbose"); code != 2 || !strings.Contains(errOut, "--verbose goes with -p") {
		t.Errorf("exit %d, %q", code, errOut)
	}
}

// A call that speaks of a key's beginning hides that and no more: what comes after it is
// logged. What a model names does not reach the terminal as an order.
func TestLogOfAKey(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.write(t, "do.script", `call run_bash {"command": "echo -----BEGIN RSA PRIVATE KEY-----"}`+"\nend\n\n"+
		`call run_bash {"command": "curl https://u:hunter2pass@127.0.0.1:9/?api_key=9f8c1d7e2b6a4053c7e1f2a9b8d60c34; A=sk-proj-Zk3vQ9xT1mB7nL5wR8cY2hJ6fD4gS0pAeUi"}`+"\nend\n\n"+
		`call run_bash {"command": "ls \u001b]0;pwned\u0007 \u009b31m"}`+"\nend\n\ntext done\nend\n")
	_, errOut, _ := p.run(t, "-p", "hi", "-C", ".", "--demo=do.script", "--verbose", "--debug", "--yolo")
	logged, _, _ := p.run(t, "logs")
	lines, _, _ := p.run(t, "logs", "--json")
	for what, text := range map[string]string{"stderr": errOut, "the log": logged, "as JSON": lines} {
		if strings.ContainsAny(text, "\x1b\x07\u009b") || strings.Contains(text, "hunter2pass") || strings.Contains(text, "8c1d7e") || strings.Contains(text, "3vQ9xT") || strings.Contains(text, "gS0pAeUi") {
			t.Errorf("%s:\n%q", what, text)
		}
		if !strings.Contains(text, "pwned") || !strings.Contains(text, "run ended") {
			t.Errorf("%s ends early:\n%s", what, text)
		}
	}
}

// On the screen nothing of it is drawn.
func TestDebugOnTheScreen(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	s := openTerminal(t, 80, 24, t.TempDir(), []string{"XDG_STATE_HOME=" + state, "FORGE_DEBUG=1"}, "--demo")
	s.see("ask for something")
	s.send("hello\r")
	s.see("allow once")
	if strings.Contains(s.Raw(), "call prepared") || strings.Contains(s.Raw(), "permission tool") {
		t.Errorf("%s", s.text())
	}
	s.send("\x1b")
	s.lose("allow once")
	s.send("\x04")
	s.wait()
	cmd := forgeIn(t, t.TempDir(), []string{"XDG_STATE_HOME=" + state}, "logs")
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "permission tool=") {
		t.Errorf("%v\n%s", err, out)
	}
}
