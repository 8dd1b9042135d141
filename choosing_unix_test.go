//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWhatIsRememberedLocksNobodyOut starts forge where the way that was used last takes
// its key from a variable that is empty now: another key is used, a screen offers ways
// to a model, and what is left out is said. What a person names now is an error still.
func TestWhatIsRememberedLocksNobodyOut(t *testing.T) {
	t.Parallel()
	remembering := func(t *testing.T, env ...string) *program {
		p := newProgram(t, append(env, "OLLAMA_HOST=127.0.0.1:1")...)
		last := filepath.Join(p.home, "state", "forge", "last.json")
		if err := os.MkdirAll(filepath.Dir(last), 0o700); err != nil {
			t.Fatal(err)
		}
		p.write(t, last, `{"provider":"","model":"some-model","base_url":"http://127.0.0.1:1/v1","wire":"openai","api_key_env":"GONE_KEY","screen":true}`)
		return p
	}
	const left = "http://127.0.0.1:1/v1 was used last and is left out now: GONE_KEY, where its key is to come from, is empty"

	t.Run("a key in the environment", func(t *testing.T) {
		t.Parallel()
		at := answering(t)
		p := remembering(t, "OPENAI_API_KEY=k", "OPENAI_BASE_URL="+value(at, "--base-url"))
		out, errOut, code := p.run(t, "-p", "hi")
		if code != 0 || out != "hello\n" || !strings.Contains(errOut, left) {
			t.Errorf("exit %d, %q, %q", code, out, errOut)
		}
		levels, texts, _ := findings(t, remembering(t, "OPENAI_API_KEY=k", "OPENAI_BASE_URL="+value(at, "--base-url")), nil)
		if levels["model.last"] != "warn" || !strings.Contains(texts["model.last"], left) || levels["model.chosen"] != "ok" {
			t.Errorf("%v %q", levels["model.chosen"], texts["model.last"])
		}
	})
	t.Run("no key", func(t *testing.T) {
		t.Parallel()
		p := remembering(t)
		for _, args := range [][]string{{"-p", "hi"}, {"-p", "hi", "-m", "some-model"}} {
			_, errOut, code := p.run(t, args...)
			if code == 0 || !strings.Contains(errOut, left) || !strings.Contains(errOut, "no model to talk to") || strings.Contains(errOut, "--api-key-env") {
				t.Errorf("%v: exit %d, %q", args, code, errOut)
			}
		}
		levels, texts, _ := findings(t, p, nil)
		if levels["model.chosen"] != "fail" || !strings.Contains(texts["model.chosen"], "opens with ways to a model") {
			t.Errorf("%q", texts["model.chosen"])
		}
	})
	t.Run("a flag", func(t *testing.T) {
		t.Parallel()
		p := remembering(t, "OPENAI_API_KEY=k", "OPENAI_BASE_URL=http://127.0.0.1:1/v1")
		flags := []string{"--base-url", "http://127.0.0.1:1/v1", "-m", "x", "--api-key-env", "GONE_KEY"}
		if _, errOut, code := p.run(t, append(flags, "-p", "hi")...); code == 0 || !strings.Contains(errOut, "GONE_KEY is empty") {
			t.Errorf("exit %d, %q", code, errOut)
		}
		_, texts, _ := findings(t, p, nil, flags...)
		if strings.Contains(texts["model.chosen"], "ways to a model") {
			t.Errorf("%q", texts["model.chosen"])
		}
	})
	for _, args := range [][]string{nil, {"-c"}, {"-m", "some-model"}} {
		t.Run("the screen "+strings.Join(args, " "), func(t *testing.T) {
			t.Parallel()
			p := remembering(t)
			s := openCommand(t, 120, 30, p.command(args...), true)
			s.see("Which model shall forge use?")
			s.send("\x1b")
			s.lose("Which model shall forge use?")
			s.see("was used last and is left out now")
			s.send("\x04")
			if err := s.wait(); err != nil {
				t.Error(err)
			}
		})
	}
	// The server is gone, its key is there: /model offers ways to another.
	t.Run("the server", func(t *testing.T) {
		t.Parallel()
		p := remembering(t, "GONE_KEY=k")
		s := openCommand(t, 120, 30, p.command(), true)
		s.see("some-model")
		s.send("/model\r")
		s.see("Which model shall forge use?")
		s.send("\x1b")
		s.lose("Which model shall forge use?")
		s.send("\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
	})
}

// value is what follows a flag.
func value(args []string, flag string) string {
	for i, a := range args {
		if a == flag {
			return args[i+1]
		}
	}
	return ""
}

// A mode that a policy forbids is not taken without a word.
func TestTheModeAPolicyForbidsIsSaid(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	policy := filepath.Join(p.home, "policy.json")
	p.write(t, policy, `{"permissions": {"mode": "auto"}}`)
	p.env = append(p.env, "FORGE_POLICY="+policy)
	out, errOut, code := p.run(t, append(answering(t), "--yolo", "-p", "hi")...)
	if out != "hello\n" || code != 0 || strings.Count(errOut, "not in mode yolo: a policy of this machine allows no laxer mode than auto") != 1 {
		t.Errorf("exit %d, %q, %q", code, out, errOut)
	}
}

// What was sent before there was a model stands in the prompt of the demo that is
// chosen then, and is no draft of the folder.
func TestTheDemoTakesWhatWasWritten(t *testing.T) {
	t.Parallel()
	p := newProgram(t, "OLLAMA_HOST=127.0.0.1:1")
	s := openCommand(t, 100, 30, p.command(), true)
	s.see("Which model shall forge use?")
	s.send("\x1b")
	s.lose("Which model shall forge use?")
	s.send("hi from before\r")
	s.see("Which model shall forge use?")
	s.send("demo\r")
	s.see("forge-demo-")
	s.see("hi from before")
	s.send("\x1b[H\x0b") // nothing is left to be saved there
	s.lose("hi from before")
	s.send("\x04")
	if err := s.wait(); err != nil {
		t.Error(err)
	}
	again := openCommand(t, 100, 30, p.command(), true)
	again.see("Which model shall forge use?")
	again.send("\x1b")
	again.lose("Which model shall forge use?")
	if strings.Contains(again.text(), "hi from before") {
		t.Errorf("a draft was left:\n%s", again.text())
	}
	again.send("\x04")
	if err := again.wait(); err != nil {
		t.Error(err)
	}
}
