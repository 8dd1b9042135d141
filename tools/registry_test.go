package tools

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
)

// named is a tool that only has a name and a description.
type named Spec

func (n named) Spec() Spec { return Spec(n) }
func (n named) Prepare(context.Context, Call) (*Invocation, error) {
	return nil, fmt.Errorf("%s does nothing", n.Name)
}

func tool(name string, description ...string) Tool {
	return named{Name: name, Description: strings.Join(description, " ")}
}

func active(r *Registry) string {
	var names []string
	for _, t := range r.Active() {
		names = append(names, t.Spec().Name)
	}
	return strings.Join(names, " ")
}

func TestRegistryKeepsPlaces(t *testing.T) {
	r, err := NewRegistry(tool("b"), tool("a"))
	if err != nil {
		t.Fatal(err)
	}
	set := func(owner string, deferred bool, names ...string) {
		t.Helper()
		var ts []Tool
		for _, n := range names {
			ts = append(ts, tool(n))
		}
		if err := r.Set(owner, ts, deferred); err != nil {
			t.Fatal(err)
		}
	}
	want := func(s string) {
		t.Helper()
		if got := active(r); got != s {
			t.Fatalf("active: %s, want %s", got, s)
		}
	}
	want("b a")
	set("srv", false, "x", "y")
	want("b a x y")
	set("forge", false, "c", "a") // b goes, a stays where it is, c comes last
	want("a x y c")
	set("srv", false, "z", "y")
	want("a y c z")
	set("lazy", true, "m", "n")
	want("a y c z")
	if _, ok := r.Get("m"); ok {
		t.Error("a deferred tool can be called")
	}
	r.Load("n", "nobody")
	want("a y c z") // what the model is sent stays as it is
	if _, ok := r.Get("n"); !ok {
		t.Error("a loaded tool cannot be called")
	}
	set("lazy", true, "o", "n") // n stays loaded, o is deferred
	want("a y c z")
	if _, ok := r.Get("n"); !ok || !r.deferred("o") {
		t.Error("what was loaded is not any more, or what was not is")
	}
	set("lazy", true)
	want("a y c z")
	if got := strings.Join(r.Names(), " "); got != "a c y z" {
		t.Errorf("names: %s", got)
	}
}

func TestRegistryRefusesNames(t *testing.T) {
	r, err := NewRegistry(tool("a"))
	if err != nil {
		t.Fatal(err)
	}
	for _, ts := range [][]Tool{
		{tool("b"), tool("b")}, {tool("b"), tool("a")}, {tool("")}, {tool("with blank")}, {tool("ümlaut")}, {tool(strings.Repeat("n", 65))},
	} {
		if err := r.Set("srv", ts, false); err == nil {
			t.Errorf("%v was accepted", ts)
		}
		if got := active(r); got != "a" {
			t.Fatalf("after a refusal there are %s", got)
		}
	}
	if err := r.Set("srv", []Tool{tool(strings.Repeat("n", 64))}, false); err != nil {
		t.Error(err)
	}
	if _, err := NewRegistry(tool("b"), tool("b")); err == nil {
		t.Error("two of one name were accepted")
	}
}

func TestRegistryReplacesTheTool(t *testing.T) {
	r, _ := NewRegistry(tool("a", "old"))
	if err := r.Set("forge", []Tool{tool("a", "new")}, false); err != nil {
		t.Fatal(err)
	}
	got, ok := r.Get("a")
	if !ok || got.Spec().Description != "new" {
		t.Errorf("%v, %v", got, ok)
	}
}

func TestRegistrySearch(t *testing.T) {
	r, _ := NewRegistry(tool("issue_active", "an issue tool that is shown already"))
	if err := r.Set("srv", []Tool{
		tool("find", "looks an Issue up"), tool("issue_create", "makes one"), tool("issue_close", "ends one"), tool("weather", "sun and rain"),
	}, true); err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]string{
		"issue": "issue_create issue_close find", "ISSUE makes": "issue_create", "rain": "weather", "nothing": "", "": "find issue_create issue_close weather",
	} {
		var got []string
		for _, s := range r.Search(query, 10) {
			got = append(got, s.Name)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %v, want %s", query, got, want)
		}
	}
	if got := r.Search("issue", 1); len(got) != 1 {
		t.Errorf("%v", got)
	}
	if got := r.Search("issue", -1); len(got) != 0 {
		t.Errorf("%v", got)
	}
}

func TestSubset(t *testing.T) {
	r, _ := NewRegistry(tool("a"), tool("b"), tool("c"))
	if err := r.Set("srv", []Tool{tool("d")}, true); err != nil {
		t.Fatal(err)
	}
	sub := r.Subset("c", "a", "d", "none")
	if got := active(sub); got != "a c" {
		t.Errorf("%s", got)
	}
	if err := r.Set("forge", nil, false); err != nil {
		t.Fatal(err)
	}
	if got := active(sub); got != "a c" {
		t.Errorf("the subset follows its parent: %s", got)
	}
}

func TestRegistryFromManyGoroutines(t *testing.T) {
	r, _ := NewRegistry(tool("a"))
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			owner := fmt.Sprintf("srv%d", i)
			for n := range 50 {
				if err := r.Set(owner, []Tool{tool(fmt.Sprintf("t%d_%d", i, n))}, n%2 == 0); err != nil {
					t.Error(err)
				}
				r.Load(fmt.Sprintf("t%d_%d", i, n))
				r.Active()
				r.Search("t", 3)
				r.Subset("a")
			}
		})
	}
	wg.Wait()
	if got := len(r.Active()); got != 9 {
		t.Errorf("%d tools are left, want 9", got)
	}
}

func TestSetSoonWaitsForTheNextTurn(t *testing.T) {
	one := Func("one", "d", func(context.Context, Call, struct{}) (*Invocation, error) { return nil, nil })
	two := Func("two", "d", func(context.Context, Call, struct{}) (*Invocation, error) { return nil, nil })
	r, err := NewRegistry(one)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Set("server", []Tool{two}, false); err != nil {
		t.Fatal(err)
	}
	var failed error
	r.SetSoon("server", nil, false, nil)
	r.SetSoon("other", []Tool{one}, false, func(err error) { failed = err })
	if _, ok := r.Get("two"); !ok || len(r.Names()) != 2 {
		t.Error("it did not wait")
	}
	if len(r.Active()) != 1 {
		t.Error("it did not happen")
	}
	if failed == nil {
		t.Error("nobody heard that the name is taken")
	}
}
