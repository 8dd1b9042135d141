package ui

import (
	"context"
	"errors"
	"testing"
	"time"

	"forge/provider"
)

// TestAKeyBeingTriedIsSeen: the status line says what is waited for and how long,
// Esc ends it at once, and the late answer changes nothing.
func TestAKeyBeingTriedIsSeen(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := testOptions(&fakeAgent{})
		o.Model = provider.Model{}
		cancelled := make(chan error, 1)
		o.FirstRun = &FirstRun{Keys: []KeyChoice{{"DeepSeek", func(ctx context.Context, key string) (LoggedIn, error) {
			err := pause(ctx, time.Minute)
			if key == "slow" {
				cancelled <- err
			}
			return given(provider.Model{Provider: "deepseek", ID: "late"}), err
		}}}}
		s := start(t, o, 80, 24)
		s.see("Which model shall forge use?")
		s.send("\r")
		s.see("Paste your key")
		s.send("slow\r")
		s.see("trying the key for DeepSeek")
		time.Sleep(3 * time.Second)
		s.see("trying the key for DeepSeek 3 s")
		s.send("hello\r") // words for a model that is not there yet stay
		s.see("no model yet")
		s.see("› hello")
		s.send("\x1b")
		s.see("Which model shall forge use?")
		s.gone("trying the key")
		if err := <-cancelled; !errors.Is(err, context.Canceled) {
			t.Errorf("the trial ended with %v", err)
		}
		time.Sleep(2 * time.Minute)
		hasNot(t, s.text(), "late", "✗")
		s.send("\r")
		s.see("Paste your key")
		s.send("good\r")
		time.Sleep(time.Minute)
		s.see("now with late")
		s.gone("trying the key")
		s.send("\x03\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
	})
}

// TestWaitingForAList: the same for whatever else is asked for over the network.
func TestWaitingForAList(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := testOptions(&fakeAgent{})
		o.SetModel = func(c ModelChoice, e provider.Effort) (provider.Model, error) { return c.Model, nil }
		o.Models = func(ctx context.Context) ([]ModelChoice, error) {
			return []ModelChoice{{Model: provider.Model{Provider: "p", ID: "m"}}}, pause(ctx, 5*time.Second)
		}
		o.GitDiff = func(ctx context.Context) (string, error) { panic("a broken diff") }
		s := start(t, o, 80, 24)
		s.send("/model\r")
		s.see("asking for the models")
		s.send("\x03")
		s.gone("asking for the models")
		time.Sleep(10 * time.Second)
		hasNot(t, s.text(), "Choose a model")
		s.send("/model\r")
		s.see("Choose a model")
		s.send("\x1b")
		time.Sleep(time.Second)
		s.send("/effort high\r")
		s.see("effort is high now")
		s.send("/diff\r")
		s.see("reading the changes: forge crashed here: a broken diff")
		s.gone("reading the changes 1 s")
		s.send("\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
	})
}
