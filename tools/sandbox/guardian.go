package sandbox

import (
	"bufio"
	"crypto/rand"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A Guardian is one process that outlives forge by a moment: when forge is killed
// and can end nothing any more, it ends what forge's commands left. The kernel ends
// the commands themselves, but not what they started.
//
// It is started with the first command, beside it, and waits for the end of a pipe
// whose other end nobody holds but forge. On the pipe it hears which process groups
// there are; what left its group carries a mark that begins with the guardian's
// word. It has no terminal and no part in forge's own end. A nil Guardian gives
// marks and does nothing else. Methods may be called from any goroutine.
type Guardian struct {
	argv []string
	word string // what all marks begin with

	mu   sync.Mutex
	n    int      // marks given
	pipe *os.File // ours; nil: it was not started
	over bool     // closed, or it could not be started
	done chan struct{}
}

// guardWord is the name of the subcommand that is a guardian.
const guardWord = "guard-commands"

// The words on the pipe, one a line: a group that began or ended, and that all is
// well, so that nothing is to be done when the pipe ends.
const (
	groupBegan = "+"
	groupEnded = "-"
	allIsWell  = "."
)

const (
	// tellLimit is how long forge waits for a guardian that does not read.
	tellLimit = 20 * time.Millisecond
	// guardLimit is how long a guardian tries to end what does not end.
	guardLimit = 10 * time.Second
	guardPause = 20 * time.Millisecond
	// guardLooks is how often nothing must have been found: while a process becomes
	// another program, what it carries cannot be read.
	guardLooks = 3
)

// NewGuardian makes the guardian that runs program, which calls Guard with the
// arguments it was given. Nothing is started yet.
func NewGuardian(program string) *Guardian {
	g := &Guardian{word: rand.Text(), done: make(chan struct{})}
	g.argv = []string{program, guardWord, g.word}
	return g
}

// Mark is a new value for a variable in the environment of a process that forge
// starts, by which it and all it starts can be found. The first call starts the
// guardian and does not wait for it.
func (g *Guardian) Mark() string {
	if g == nil {
		return rand.Text()
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.n++; g.n == 1 && guards && !g.over {
		g.start()
	}
	return g.word + "." + strconv.Itoa(g.n)
}

func (g *Guardian) start() {
	r, w, err := os.Pipe() // closed in whatever forge starts
	if err != nil {
		slog.Warn("no guardian of commands", "error", err)
		g.over = true
		return
	}
	g.pipe = w
	cmd := exec.Command(g.argv[0], g.argv[1:]...)
	cmd.Args[0] = "forge"                                          // as it is called, whatever the way to its file is
	cmd.Dir, cmd.Env, cmd.Stdin = "/", []string{"GOMAXPROCS=1"}, r // no mark of a forge around this one
	cmd.SysProcAttr = ownSession()
	go func() {
		defer recovered("start the guardian of commands")
		defer close(g.done)
		defer r.Close()
		if err := cmd.Run(); err != nil {
			slog.Warn("no guardian of commands", "error", err)
		}
	}()
}

// began and ended tell of the process group of a command.
func (g *Guardian) began(pid int) { g.tell(groupBegan + strconv.Itoa(pid)) }
func (g *Guardian) ended(pid int) { g.tell(groupEnded + strconv.Itoa(pid)) }

func (g *Guardian) tell(line string) {
	if g == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.pipe == nil {
		return
	}
	// A line is written whole or not at all.
	_ = g.pipe.SetWriteDeadline(time.Now().Add(tellLimit))
	if _, err := io.WriteString(g.pipe, line+"\n"); err != nil {
		slog.Debug("tell the guardian of commands", "error", err)
	}
}

// Close lets the guardian go, with nothing to do: forge has ended its commands.
func (g *Guardian) Close() {
	if g == nil {
		return
	}
	g.tell(allIsWell)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.over = true
	if g.pipe != nil {
		g.pipe.Close()
		g.pipe = nil
	}
}

// Guard is the life of a guardian, in a process of its own: it is one if args say
// so, and reports that. It returns when the pipe has ended and nothing is left.
func Guard(args []string, pipe io.Reader) bool {
	if len(args) != 2 || args[0] != guardWord || len(args[1]) < 20 || strings.ContainsAny(args[1], "=./ ") {
		return false
	}
	ignoreSignals()
	debug.FreeOSMemory() // it is to be small while it waits
	groups := map[int]bool{}
	lines := bufio.NewScanner(pipe)
	for lines.Scan() {
		line := lines.Text()
		if line == allIsWell {
			return true
		}
		if pid, err := strconv.Atoi(line[min(1, len(line)):]); err == nil && pid > 1 {
			if strings.HasPrefix(line, groupBegan) {
				groups[pid] = true
			} else {
				delete(groups, pid)
			}
		}
	}
	endAll(groups, args[1])
	return true
}

// endAll kills the groups and what carries a mark until there is none.
func endAll(groups map[int]bool, word string) {
	var own group
	for limit, clean := time.Now().Add(guardLimit), 0; clean < guardLooks && time.Now().Before(limit); time.Sleep(guardPause) {
		clean++
		for pid := range groups {
			if len(own.members(pid)) > 0 {
				own.kill(pid)
				clean = 0
			}
		}
		if found := markedProcesses("=" + word + "."); len(found) > 0 {
			killAll(found)
			clean = 0
		}
	}
}
