package builtin

import (
	"context"
	"strings"
	"testing"
	"time"

	"forge/tools"
)

// A command that is waited for goes on in the background once the person says so: its
// result comes at once, and what it writes later is read like any job's.
func TestBackground(t *testing.T) {
	e := newRig(t, nil).env
	t.Cleanup(e.Jobs.Close)
	gate := t.TempDir() + "/go"
	done := make(chan tools.Result, 1)
	go func() {
		res, _ := e.RunOwn(context.Background(), "echo before; until [ -e '"+gate+"' ]; do sleep 0.05; done; echo after", seenBy{})
		done <- res
	}()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if e.Jobs.Background(ctx) != 1 { // also before it has begun
		t.Fatal("no command is waited for")
	}
	var res tools.Result
	select {
	case res = <-done:
	case <-time.After(20 * time.Second):
		t.Fatal("it is still waited for")
	}
	if res.IsError || !strings.Contains(res.Text, "as job1") || !strings.Contains(res.Text, "\n[the user moved it to the background after ") { // the screen knows that line
		t.Fatalf("%+v", res)
	}
	over, end := context.WithCancel(context.Background())
	end()
	if e.Jobs.Background(over) != 0 {
		t.Error("it can be sent twice")
	}
	if l := e.Jobs.List(); len(l) != 1 || !l[0].Running {
		t.Fatalf("%+v", l)
	}
	if _, err := e.RunOwn(context.Background(), "touch '"+gate+"'", seenBy{}); err != nil {
		t.Fatal(err)
	}
	b, err := e.Jobs.find("job1")
	if err != nil {
		t.Fatal(err)
	}
	if err := b.wait(context.Background(), 20*time.Second); err != nil {
		t.Fatal(err)
	}
	if told := b.told(); !strings.Contains(told.Text, "after") || !strings.Contains(told.Text, "exit code 0") {
		t.Errorf("%+v", told)
	}
}

type seenBy struct{}

func (seenBy) Write(b []byte) (int, error) { return len(b), nil }

// A command that is waited for is given as much time again as it had, and its result
// names the whole of it.
func TestMoreTime(t *testing.T) {
	r := newRig(t, nil)
	t.Cleanup(r.env.Jobs.Close)
	if n := r.env.Jobs.MoreTime(); n != 0 {
		t.Errorf("%d commands without one that runs", n)
	}
	inv, err := r.env.prepareBash(bashInput{Command: "sleep 600", Timeout: 1})
	if err != nil || inv.Effect.Limit != time.Second {
		t.Fatal(inv, err)
	}
	if b, err := r.env.prepareBash(bashInput{Command: "sleep 600", Background: true}); err != nil || b.Effect.Limit != 0 {
		t.Error("a command in the background has a limit", err)
	}
	done := make(chan tools.Result, 1)
	go func() {
		res, _ := inv.Run(context.Background(), inv.Effect, seenBy{})
		done <- res
	}()
	deadline := time.Now().Add(20 * time.Second)
	for r.env.Jobs.MoreTime() == 0 {
		if time.Now().After(deadline) {
			t.Fatal("no command is waited for")
		}
		time.Sleep(5 * time.Millisecond)
	}
	if res := <-done; !strings.Contains(res.Text, "timed out after 2.0 s") {
		t.Errorf("%+v", res)
	}
}
