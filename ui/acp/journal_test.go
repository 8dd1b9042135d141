package acp

import (
	"fmt"
	"strings"
	"testing"
)

func told(j *journal) (lines []string) {
	j.tell(func(u any) {
		line, err := updated("s", u)
		if err != nil {
			panic(err)
		}
		lines = append(lines, string(line))
	})
	return lines
}

func chunk(message, text string) update {
	return update{Kind: "agent_message_chunk", Message: message, Content: textBlock(text)}
}

// Pieces of a message are one piece, and the output of a command is what it is now.
func TestJournalJoins(t *testing.T) {
	var j journal
	output := func(s string) update {
		return update{Kind: "tool_call_update", Call: "c", Content: []callContent{text(s)}}
	}
	for i := range 1000 {
		j.add(chunk("m1", fmt.Sprintf("%d,", i)))
	}
	j.add(chunk("m2", "other"))
	j.add(update{Kind: "tool_call", Call: "c", Title: "make", Status: "pending"})
	for i := range 1000 {
		j.add(output(fmt.Sprintf("line %d", i)))
	}
	j.add(update{Kind: "available_commands_update"})
	j.add(update{Kind: "tool_call_update", Call: "c", Status: "completed"})
	lines := told(&j)
	if len(lines) != 5 || !strings.Contains(lines[0], "0,1,2,") || !strings.Contains(lines[0], ",999,") || !strings.Contains(lines[3], "line 999") || !strings.Contains(lines[4], "completed") {
		t.Errorf("told is\n%s", strings.Join(lines, ""))
	}
}

// However much happens, what is kept is bounded; calls are known by their names to the end,
// and it is said that something is missing.
func TestJournalIsBounded(t *testing.T) {
	var j journal
	large := strings.Repeat("x", 100<<10)
	most := 0
	for i := range 120 {
		call := fmt.Sprintf("c%d", i)
		j.add(update{Kind: "tool_call", Call: call, Title: "read", Status: "pending"})
		j.add(update{Kind: "tool_call_update", Call: call, Status: "completed", Content: []callContent{text(large)}})
		j.add(chunk(fmt.Sprintf("m%d", i), large))
		size := 0
		for _, k := range j.told {
			size += k.size
		}
		if size != j.size {
			t.Fatalf("it counts %d bytes and not %d", j.size, size)
		}
		most = max(most, size)
	}
	if most > mostKept {
		t.Errorf("%d bytes are kept", most)
	}
	lines := told(&j)
	all := strings.Join(lines, "")
	if !strings.Contains(lines[0], "left out here") || !strings.Contains(all, `"toolCallId":"c0","title":"read"`) || !strings.Contains(lines[len(lines)-1], large) {
		t.Errorf("%d lines are told, the first is %.300s", len(lines), lines[0])
	}
	if len(all) > 2*mostKept {
		t.Errorf("%d bytes are told", len(all))
	}
}
