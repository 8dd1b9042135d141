package tools

import "testing"

// A tool that is off is in no request, cannot be called or found, and stays so when
// its owner sets its tools anew.
func TestSwitch(t *testing.T) {
	a, b := named{Name: "one"}, named{Name: "two"}
	r, err := NewRegistry(a)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Set("far", []Tool{b}, true); err != nil {
		t.Fatal(err)
	}
	if r.Switch("none", false) == nil {
		t.Error("a tool that is not there was switched")
	}
	for _, name := range []string{"one", "two"} {
		if err := r.Switch(name, false); err != nil {
			t.Fatal(err)
		}
	}
	r.Load("two")
	for range 2 {
		_, one := r.Get("one")
		_, two := r.Get("two")
		if one || two || len(r.Active()) != 0 || len(r.Search("two", 9)) != 0 {
			t.Errorf("one %v, two %v, %d active", one, two, len(r.Active()))
		}
		if l := r.List(); len(l) != 2 || !l[0].Off || !l[1].Off || !l[1].Deferred || l[1].Owner != "far" {
			t.Errorf("%+v", l)
		}
		if err := r.Set("far", []Tool{b}, true); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Switch("one", true); err != nil || len(r.Active()) != 1 {
		t.Errorf("%v, %d active", err, len(r.Active()))
	}
}

// What was narrowed away stays away: when its owner sets its tools anew, when somebody
// switches it on, in a part of the registry, and when it comes later.
func TestNarrow(t *testing.T) {
	r, err := NewRegistry(named{Name: "one"}, named{Name: "two"})
	if err != nil {
		t.Fatal(err)
	}
	r.Narrow(func(owner, name string) bool { return owner == "forge" && name == "two" })
	if err := r.Set("far", []Tool{named{Name: "three"}, named{Name: "four"}}, true); err != nil {
		t.Fatal(err)
	}
	if err := r.Set("forge", []Tool{named{Name: "one"}, named{Name: "two"}}, false); err != nil {
		t.Fatal(err)
	}
	r.Load("three", "four")
	for _, name := range []string{"one", "three", "four"} {
		if err := r.Switch(name, true); err == nil {
			t.Errorf("%s was switched on", name)
		}
		if _, ok := r.Get(name); ok {
			t.Errorf("%s can be called", name)
		}
	}
	if err := r.Switch("two", false); err != nil {
		t.Error(err)
	}
	if err := r.Switch("two", true); err != nil {
		t.Error(err)
	}
	if got := r.Names(); len(got) != 1 || got[0] != "two" || len(r.Search("", 9)) != 0 {
		t.Errorf("left are %q", got)
	}
	if got := r.Subset("one", "two").Names(); len(got) != 1 || got[0] != "two" {
		t.Errorf("a part of it has %q", got)
	}
}
