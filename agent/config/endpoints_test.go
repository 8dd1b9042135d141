package config

import (
	"errors"
	"testing"
)

func TestEndpoints(t *testing.T) {
	d := Dirs{State: t.TempDir()}
	a, b := Endpoint{"a.example", "https://a.example/v1", "openai"}, Endpoint{"b.example", "https://b.example", "anthropic"}
	for _, e := range []Endpoint{a, b, {a.Name, a.BaseURL, "anthropic"}} {
		if err := d.KeepEndpoint(e); err != nil {
			t.Fatal(err)
		}
	}
	if got := d.Endpoints(); len(got) != 2 || got[0] != b || got[1].Wire != "anthropic" {
		t.Errorf("%+v", got)
	}
	if err := errors.Join(d.ForgetEndpoint("https://nowhere"), d.ForgetEndpoint(b.BaseURL)); err != nil {
		t.Error(err)
	}
	if got := d.Endpoints(); len(got) != 1 || got[0].BaseURL != a.BaseURL {
		t.Errorf("%+v", got)
	}
}

func TestCleanKey(t *testing.T) {
	for pasted, want := range map[string]string{
		"sk-1": "sk-1", " sk-1\r\n": "sk-1", "sk-\n1\n": "sk-1", `"sk-1"`: "sk-1", "Bearer sk-1": "sk-1",
		"": "", "\n": "", "sk 1": "", "sk-é": "", "sk-\x1b[1": "",
	} {
		got, err := CleanKey(pasted)
		if got != want || (err != nil) != (want == "") {
			t.Errorf("%q: %q, %v", pasted, got, err)
		}
	}
}

func TestWhereAKeyIs(t *testing.T) {
	r := &ring{keys: map[string]string{}}
	s := &Secrets{file: t.TempDir() + "/keys.json", ring: r}
	if got := s.Where("openai"); got != "" {
		t.Errorf("nothing is kept, yet in %q", got)
	}
	if _, err := s.Set("openai", "k"); err != nil {
		t.Fatal(err)
	}
	if got := s.Where("openai"); got != "keyring" {
		t.Errorf("in %q", got)
	}
	s.ring = nil
	if _, err := s.Set("xai", "k"); err != nil {
		t.Fatal(err)
	}
	if got := s.Where("xai"); got != s.file {
		t.Errorf("in %q", got)
	}
}
