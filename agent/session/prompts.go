package session

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"forge/swap"
)

// Prompts keeps what a person typed, apart from conversations: the prompts that
// were sent, for the composer's history, and the one being written. Dir is
// private to the person; it is made when something is first kept. The history is
// shared by all folders; what is being written belongs to the folder it is about.
type Prompts struct {
	Dir    string
	Folder string // the draft is of; absolute

	slot int // of the drafts of the folder: each forge that runs there has one
}

const (
	keptPrompts = 1000
	draftSlots  = 16 // forges of one folder that keep what is being written apart
)

func (p Prompts) history() string { return filepath.Join(p.Dir, "history.jsonl") }

// draft is named by a hash: a path is no file name, and may be too long for one.
func (p Prompts) draft() string {
	sum := sha256.Sum256([]byte(p.Folder))
	name := hex.EncodeToString(sum[:8])
	if p.slot > 0 {
		name += "-" + strconv.Itoa(p.slot)
	}
	return filepath.Join(p.Dir, "drafts", name)
}

// Claim takes a draft of the folder for this process alone, until it ends or release is
// called: what stands in another forge's composer is that one's. A draft that was left
// behind is taken before an empty place. Where none can be had, or locked, they share.
func (p Prompts) Claim() (mine Prompts, release func()) {
	if os.MkdirAll(filepath.Join(p.Dir, "drafts"), 0o700) != nil {
		return p, func() {}
	}
	var held []*os.File
	var free []Prompts
	best := 0
	for p.slot = range draftSlots {
		if _, err := os.Stat(p.draft() + ".lock"); err != nil && len(free) > 0 {
			break // nobody was ever there
		}
		f, err := os.OpenFile(p.draft()+".lock", os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			break
		}
		if !lock(f) {
			f.Close()
			continue
		}
		held, free = append(held, f), append(free, p)
		if p.Draft() != "" {
			best = len(free) - 1
			break
		}
	}
	for i, f := range held {
		if i != best {
			f.Close()
		}
	}
	if len(free) == 0 {
		p.slot = 0
		return p, func() {}
	}
	return free[best], func() { held[best].Close() }
}

// History returns the prompts that were sent, oldest first, at most the last
// thousand. Lines that cannot be read are left out.
func (p Prompts) History() []string {
	f, err := os.Open(p.history())
	if err != nil {
		return nil
	}
	defer f.Close()
	var out []string
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 4<<20)
	for lines.Scan() {
		var s string
		if json.Unmarshal(lines.Bytes(), &s) == nil && s != "" {
			out = append(out, s)
		}
	}
	return out[max(0, len(out)-keptPrompts):]
}

// Add keeps a prompt that was sent. One line is written in one call, so that two
// forges do not tear each other's.
func (p Prompts) Add(s string) error {
	line, err := json.Marshal(s)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(p.Dir, 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(p.history(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.Write(append(line, '\n'))
	return err
}

// Draft returns what was being written here when forge last ended.
func (p Prompts) Draft() string {
	b, err := os.ReadFile(p.draft())
	if err != nil {
		return ""
	}
	return string(b)
}

// SaveDraft keeps what is being written; an empty text forgets it. The file is
// replaced in one step, so that a crash leaves the old or the new one.
func (p Prompts) SaveDraft(s string) error {
	if s == "" {
		if err := os.Remove(p.draft()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	return swap.Write(p.draft(), []byte(s), 0o600, swap.Quick)
}
