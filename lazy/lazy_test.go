package lazy

import (
	"sync"
	"testing"
)

func TestValueIsMadeOnce(t *testing.T) {
	made := 0
	v := Value[map[string]int]{Of: func() map[string]int { made++; return map[string]int{"a": 1} }}
	if made != 0 {
		t.Fatal("made before it was asked for")
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if v.Get()["a"] != 1 {
				t.Error("not the value of Of")
			}
		})
	}
	all.Wait()
	if made != 1 {
		t.Errorf("made %d times", made)
	}
}

func TestRegexpIsCompiledOnce(t *testing.T) {
	r := Regexp{Expr: `^a+$`}
	if !r.Get().MatchString("aaa") || r.Get().MatchString("b") {
		t.Error("another expression")
	}
	if first := r.Get(); first != r.Get() {
		t.Error("compiled again")
	}
	defer func() {
		if recover() == nil {
			t.Error("no panic for what is no expression")
		}
	}()
	(&Regexp{Expr: `(`}).Get()
}
