//go:build unix

package main

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestDroppedPictureOutlivesAKill drops a picture and a long paste, kills forge, and
// sends what the next one finds: the picture goes along, the paste is whole.
func TestDroppedPictureOutlivesAKill(t *testing.T) {
	t.Parallel()
	dir, state := t.TempDir(), t.TempDir()
	data := pictureFile(t, filepath.Join(dir, "a shot.png"), 64, 48)
	url, asked := overheard(t, "text Seen.\nend\n")
	env := []string{"XDG_STATE_HOME=" + state}
	args := []string{"--base-url", url + "/v1", "--wire", "openai", "-m", "demo-1", "-C", dir}
	s := openTerminal(t, 80, 24, dir, env, args...)
	s.see("ask for something")
	paste := func(text string) { s.send("\x1b[200~" + text + "\x1b[201~") }
	paste(filepath.Join(dir, `a\ shot.png`))
	s.see("[image 1: 64x48]")
	s.send("beside ")
	paste(strings.Repeat("a line of a log\n", 200))
	s.see("[paste 1: 200 lines]")
	drafts := filepath.Join(state, "forge", "drafts", "*")
	deadline(t, "the draft with its last change", func() bool {
		found, _ := filepath.Glob(drafts) // beside its lock
		return slices.ContainsFunc(found, func(name string) bool {
			b, _ := os.ReadFile(name)
			return strings.Contains(string(b), "beside ") && strings.Count(string(b), "a line of a log") == 200
		})
	})
	if err := s.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := s.wait(); err == nil {
		t.Fatal("it was not killed")
	}

	s = openTerminal(t, 80, 24, dir, env, args...)
	s.see("[image 1: 64x48] beside [paste 1: 200 lines]")
	s.send("\r")
	s.see("Seen.")
	// Going back to the prompt brings both again, in a copy of the conversation.
	s.send("\x1b")
	s.see("esc again")
	s.send("\x1b")
	s.see("Go back to before a prompt")
	time.Sleep(600 * time.Millisecond)
	s.send("\r")
	s.lose("Seen.")
	s.see("[paste 1: ")
	s.send("\r")
	deadline(t, "the second request", func() bool { return len(asked()) == 2 })
	s.see("Seen.")
	s.send("\x04")
	if err := s.wait(); err != nil {
		t.Error(err)
	}
	bodies := asked()
	if len(bodies) != 2 {
		t.Fatalf("%d requests", len(bodies))
	}
	for i, body := range bodies {
		if strings.Count(body, base64.StdEncoding.EncodeToString(data)) != 1 || strings.Count(body, "a line of a log") != 200 {
			t.Errorf("request %d: %.600s", i, body)
		}
	}
}

// TestPictureOnTheScreen looks at a picture that a tool returned, where the terminal shows
// sixels: the screen makes room for it, and comes back with a key.
func TestPictureOnTheScreen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pictureFile(t, filepath.Join(dir, "shot.png"), 64, 48)
	script := filepath.Join(t.TempDir(), "look.script")
	if err := os.WriteFile(script, []byte("call read_file {\"path\":\"shot.png\"}\nend\n\ntext It is grey.\nend\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := openTerminal(t, 80, 24, dir, []string{"TERM=foot"}, "--demo="+script, "-C", dir)
	s.see("ask for something")
	s.send("look at it\r")
	s.see("It is grey.")
	s.see("picture 64x48")
	s.send("\t")
	s.see("enter open")
	s.send("k") // the answer has the focus, above it is the picture
	s.send("\r")
	s.see("any key goes back")
	if strings.Contains(s.text(), "It is grey.") {
		t.Errorf("something stands beside the picture:\n%s", s.text())
	}
	s.send("x")
	s.see("It is grey.")
	s.lose("any key goes back")
	s.send("\x1b")
	s.lose("enter open")
	s.send("\x04")
	if err := s.wait(); err != nil {
		t.Error(err)
	}
}

// TestImageFlagOnTheScreen puts a picture into the prompt, to be written about.
func TestImageFlagOnTheScreen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pictureFile(t, filepath.Join(dir, "shot.png"), 64, 48)
	s := openTerminal(t, 80, 24, dir, nil, "--demo", "-C", dir, "--image", "shot.png")
	s.see("› [image 1: 64x48]")
	s.send("\x7f\x7f") // the blank behind it, and the picture
	s.see("ask for something")
	s.send("\x04")
	if err := s.wait(); err != nil {
		t.Error(err)
	}
}

// TestImageFlagInLines has no composer to put a picture into: it goes with the first
// prompt, and with no other.
func TestImageFlagInLines(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pictureFile(t, filepath.Join(dir, "shot.png"), 64, 48)
	url, asked := overheard(t, "text Seen.\nend\n\ntext Again.\nend\n")
	h := listenTo(t, dir, nil, "--base-url", url+"/v1", "--wire", "openai", "-m", "demo-1", "--screen-reader", "-C", dir, "--image", "shot.png")
	h.hear("prompt: ")
	h.send("what is it?\n")
	h.hear("Seen.")
	h.hear("prompt: ")
	h.send("and now?\n")
	h.hear("Again.")
	h.hear("prompt: ")
	h.send("\x04")
	h.wait()
	bodies := asked()
	if len(bodies) != 2 || strings.Count(bodies[0], `"image_url":{`) != 1 || strings.Count(bodies[1], `"image_url":{`) != 1 {
		t.Errorf("%d requests: %.600s", len(bodies), bodies)
	}
}
