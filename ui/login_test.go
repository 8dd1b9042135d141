package ui

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"forge/agent"
	"forge/provider"
)

// given is a key that was taken, with a model that answers then.
func given(m provider.Model) LoggedIn {
	return LoggedIn{Take: func() (provider.Model, error) { return m, nil }}
}

// keys is a person's keys, as main keeps them.
type keys struct {
	mu   sync.Mutex
	kept map[string]string
	at   []OtherEndpoint
}

func (k *keys) logins(model provider.Model) *Logins {
	took := func() (provider.Model, error) { return model, nil }
	return &Logins{
		List: func() []Login {
			k.mu.Lock()
			defer k.mu.Unlock()
			var out []Login
			for _, l := range []Login{{Name: "deepseek", Title: "DeepSeek", Env: "DEEPSEEK_API_KEY"}, {Name: "xai", Title: "xAI", Env: "XAI_API_KEY"}, {Name: "zai", Title: "Z.ai", Env: "ZAI_API_KEY"}} {
				if k.kept[l.Name] != "" {
					l.Kept, l.From = true, "kept in a file"
				}
				out = append(out, l)
			}
			return out
		},
		Find: func(name string) (string, error) {
			if name == "grok" {
				name = "xai"
			}
			if name != "xai" && name != "deepseek" && name != "zai" {
				return "", errors.New("no provider " + name)
			}
			return name, nil
		},
		In: func(_ context.Context, name, key string) (LoggedIn, error) {
			if strings.Contains(key, "bad") {
				return LoggedIn{}, &provider.Error{Kind: provider.KindAuth, Status: 401, Message: "invalid key"}
			}
			k.mu.Lock()
			defer k.mu.Unlock()
			k.kept[name] = key
			return LoggedIn{Said: []string{"the key of " + name + " is kept"}, Take: took}, nil
		},
		At: func(_ context.Context, o OtherEndpoint) (LoggedIn, error) {
			k.mu.Lock()
			defer k.mu.Unlock()
			k.at = append(k.at, o)
			if strings.HasPrefix(o.Key, "bad") {
				return LoggedIn{}, errors.New("invalid key")
			}
			return LoggedIn{Said: []string{o.BaseURL + " is kept"}, Take: took}, nil
		},
		Out: func(name string) (LoggedIn, error) {
			k.mu.Lock()
			defer k.mu.Unlock()
			delete(k.kept, name)
			return LoggedIn{Said: []string{name + " is forgotten", "XAI_API_KEY still gives one"}, Take: took}, nil
		},
	}
}

// A key is given from a list with a filter, typed hidden, refused and taken, and
// forgotten; the conversation goes on.
func TestLoginAndLogout(t *testing.T) {
	bubble(t, func(t *testing.T) {
		a := &fakeAgent{script: func(_ context.Context, _ agent.Prompt, sink agent.Sink) error {
			sink(agent.TurnStart{Turn: 1})
			sink(agent.TextDelta{Text: "still here"})
			return nil
		}}
		o := testOptions(a)
		k := &keys{kept: map[string]string{}}
		o.Logins = k.logins(o.Model)
		var history, drafts []string
		o.AppendHistory = func(s string) { history = append(history, s) }
		o.SaveDraft = func(s string) { drafts = append(drafts, s) }
		s := start(t, o, 80, 24)
		s.send("/connect\r") // as it is called elsewhere
		s.see("A key for which provider?")
		s.see("Another endpoint")
		s.send("XAI_\r") // found by its variable
		s.see("Paste your key for xAI")
		s.send("\x1b[200~bad-key-1\x1b[201~\r")
		s.see("invalid key")
		hasNot(t, s.text(), "bad-key-1")
		s.send("/login grok\r")
		s.see("Paste your key for xAI")
		s.send("\x1b[200~good-\nkey-2\n\x1b[201~")
		hasNot(t, s.text(), "good-")
		s.send("\r")
		s.see("the key of xai is kept")
		s.send("/login xai sk-in-the-clear\r")
		s.see("no key belongs behind /login")
		s.send("\x1b[A\x1b[A")
		hasNot(t, s.text(), "sk-in-the-clear")
		s.send("\x03")
		for _, command := range []string{"/login ", "/logout "} { // as some look, without a mark
			s.send(command + "hT7pQ2mVx9LkRs4WzYb8Nc3JdF6gA1eU\r")
			s.see("no key belongs behind /login")
			s.send("\x1b[A")
			hasNot(t, s.text(), "hT7pQ2mV")
			s.send("\x03")
		}
		s.send("hello\r")
		s.see("still here")
		s.send("/logout\r")
		s.see("Forget which key?")
		s.send("\r")
		s.see("XAI_API_KEY still gives one")
		s.send("/logout\r")
		s.see("forge keeps no key")
		s.send("/login\r")
		s.see("A key for which provider?")
		s.send("another\r")
		s.see("its address")
		s.send("host/v1\r")
		s.see("write it with its scheme")
		s.send("\x15https://host/v1\r")
		s.send("\r") // the wire stays
		s.send("good-key-3\r")
		s.send("\r")
		s.see("https://host/v1 is kept")
		hasNot(t, s.text(), "good-key-3")
		s.send("\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
		if len(k.at) != 1 || k.at[0] != (OtherEndpoint{"https://host/v1", "openai", "good-key-3", ""}) {
			t.Errorf("%+v", k.at)
		}
		for _, text := range append(history, drafts...) {
			if strings.Contains(text, "key-") || strings.Contains(text, "in-the-clear") {
				t.Errorf("a key was kept in %q", text)
			}
		}
	})
}

// What was written of an endpoint that was not taken is there again, but for the key.
func TestEndpointIsAskedAgain(t *testing.T) {
	for _, first := range []bool{false, true} {
		bubble(t, func(t *testing.T) {
			o := testOptions(&fakeAgent{})
			k := &keys{kept: map[string]string{}}
			o.Logins = k.logins(provider.Model{ID: "m"})
			begin := "/login\r"
			if first {
				o.Model, o.FirstRun, begin = provider.Model{}, &FirstRun{}, ""
			}
			s := start(t, o, 80, 24)
			s.send(begin)
			s.send("another endpoint\r")
			s.see("its address")
			s.send("https://host/v1\r\x1b[C\rbad-key\rmodel-one\r")
			s.see("https://host/v1: invalid key")
			s.see("❯ https://host/v1")
			s.see("● Anthropic")
			s.see("❯ model-one")
			hasNot(t, s.text(), "bad-key", "***")
			s.send("\r\rgood-key\r\r")
			s.see("https://host/v1 is kept")
			if want := (OtherEndpoint{"https://host/v1", "anthropic", "good-key", "model-one"}); len(k.at) != 2 || k.at[1] != want {
				t.Errorf("%+v", k.at)
			}
			s.send("\x04")
			if err := s.wait(); err != nil {
				t.Error(err)
			}
		})
	}
}

// Where there is no model yet, every provider can be given a key, not only the four.
func TestFirstRunOfAnyProvider(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := testOptions(&fakeAgent{})
		o.Model = provider.Model{}
		k := &keys{kept: map[string]string{}}
		o.Logins = k.logins(provider.Model{Provider: "zai", ID: "glm"})
		o.FirstRun = &FirstRun{Keys: []KeyChoice{{Name: "DeepSeek"}}, Names: "mistral Mistral zai Z.ai", Demo: func(string) {}}
		s := start(t, o, 80, 24)
		s.see("Paste a key for another provider")
		s.send("mistral") // by the name of one that is not in the list
		s.see("/ mistral")
		hasNot(t, s.text(), "Paste a key for DeepSeek")
		s.see("Paste a key for another provider")
		s.send("\r")
		s.see("A key for which provider?")
		s.send("\x1b")
		s.see("Which model shall forge use?")
		s.see("❯ Paste a key for another provider") // where one was
		s.send("another prov\r")
		s.see("A key for which provider?")
		s.send("z.ai\r")
		s.see("Paste your key for Z.ai")
		s.send("bad\r")
		s.see("invalid key")
		s.see("Which model shall forge use?")
		s.send("another prov\r")
		s.see("A key for which provider?")
		s.send("zai\rgood\r")
		s.see("now with glm")
		s.send("\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
	})
}
