package compact

import (
	"fmt"
	"hash/fnv"
	"strings"

	"forge/provider"
)

// Item is one thing in a model's window that a person may look at, and pin. ID is
// the same as long as the thing is: that of its call, or one made of its words, so
// that it holds over a cut and a resume.
type Item struct {
	ID      string
	Kind    ItemKind
	Name    string // the tool's of a call or result; else the first words
	Message int    // its index in the history
	Block   int    // and that of its block there
	Tokens  int    // estimated, as this server counts
	Trimmed bool   // a result of which only the ends are left

	text string
}

// ItemKind says what an Item is.
type ItemKind string

// The kinds of items.
const (
	ItemPrompt   ItemKind = "prompt"
	ItemAnswer   ItemKind = "answer"
	ItemThinking ItemKind = "thinking"
	ItemCall     ItemKind = "call"
	ItemResult   ItemKind = "result"
	ItemImage    ItemKind = "image"
	ItemSummary  ItemKind = "summary"
	ItemCommand  ItemKind = "command"  // the person's own
	ItemAttached ItemKind = "attached" // what went with their words
	ItemNote     ItemKind = "note"     // what was done outside of the conversation
	ItemOpaque   ItemKind = "opaque"
)

// Items lists a history block by block. The tokens of all of them together are
// about what Estimate says beyond Overhead.
func (c *Compactor) Items(ms []provider.Message) []Item {
	c.gauge.estimate(ms, c.Overhead) // learns from the reports in it
	list := items(ms)
	for i := range list {
		list[i].Tokens = c.scaled(list[i].Tokens)
	}
	return list
}

func items(ms []provider.Message) []Item {
	var out []Item
	names := map[string]string{}
	twice := map[string]int{}
	for i, m := range ms {
		for j, b := range m.Blocks {
			it := Item{Message: i, Block: j, Tokens: weighBlocks([]provider.Block{b})}
			switch b := b.(type) {
			case provider.Text:
				it.Kind, it.text = ItemPrompt, b.Text
				switch {
				case m.Role == provider.Assistant:
					it.Kind = ItemAnswer
				case isSummary(m):
					it.Kind = ItemSummary
				case !isPrompt(m):
					it.Kind = ItemCommand
				}
				it.Name = firstLine(b.Text)
			case provider.Thinking:
				it.Kind, it.Name, it.text = ItemThinking, firstLine(b.Text), b.Text
			case provider.ToolUse:
				names[b.ID] = b.Name
				it.ID, it.Kind, it.Name, it.text = b.ID+"/call", ItemCall, b.Name, b.Input
			case provider.ToolResult:
				it.ID, it.Kind, it.Name = b.ID, ItemResult, names[b.ID]
				it.text = provider.Message{Blocks: b.Content}.PlainText()
				it.Trimmed = trimmedText(it.text)
			case provider.Image:
				it.Kind, it.Name = ItemImage, b.MIME
			default:
				it.Kind = ItemOpaque
			}
			if it.ID == "" {
				it.ID = wordsID(it.Kind, it.Name+it.text)
				if n := twice[it.ID]; n > 0 {
					twice[it.ID]++
					it.ID = fmt.Sprintf("%s.%d", it.ID, n)
				} else {
					twice[it.ID] = 1
				}
			}
			if it.Kind == ItemCommand || it.Kind == ItemPrompt { // behind its ID, which is what sessions hold of it
				it.Kind, it.Name = known(it.Kind, it.Name, b)
			}
			out = append(out, it)
		}
	}
	return out
}

// known tells apart what stands in a user message without being asked for there, and
// names it by what it is about.
func known(kind ItemKind, name string, b provider.Block) (ItemKind, string) {
	text := provider.Message{Role: provider.User, Blocks: []provider.Block{b}}
	if at := text.Attached(); len(at) > 0 {
		return ItemAttached, at[0].Label
	}
	said := text.PlainText()
	for _, mark := range []string{NoteMark, NewsMark} {
		if note, ok := strings.CutPrefix(said, mark); ok {
			return ItemNote, firstLine(note)
		}
	}
	if strings.HasPrefix(said, CommandMark) {
		if _, command, ok := strings.Cut(said, "<command>\n"); ok {
			return ItemCommand, firstLine(command)
		}
	}
	return kind, name
}

// BlockID is the ID that a block of a user message has by itself among Items.
func BlockID(b provider.Block) string {
	return items([]provider.Message{{Role: provider.User, Blocks: []provider.Block{b}}})[0].ID
}

func wordsID(kind ItemKind, text string) string {
	h := fnv.New64a()
	h.Write([]byte(text)) // cannot fail
	return fmt.Sprintf("%s-%012x", kind, h.Sum64()&0xffffffffffff)
}
