package journal

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// everything is Rules that let everything be looked at.
type everything struct{}

func (everything) Below(string) Rules              { return everything{} }
func (everything) Judge(string, bool) (bool, bool) { return false, false }

// While the workspace is looked at, the model may begin to think; and who leaves does not
// wait for the end of it.
func TestALookHoldsNobodyUp(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "f"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	began, goOn := make(chan struct{}), make(chan struct{})
	j := New(Options{Dir: t.TempDir(), Roots: []string{root}, Rules: func(string) Rules {
		close(began)
		<-goOn
		return everything{}
	}})
	j.Begin("work")
	<-began
	j.Turn(1)
	closed := make(chan struct{})
	go func() { j.Close(); close(closed) }()
	for !j.closing.Load() {
		runtime.Gosched()
	}
	close(goOn)
	<-closed
	if n := j.trees[0].count.Load(); n != 0 {
		t.Errorf("%d entries were looked at by a journal that is closed", n)
	}
}
