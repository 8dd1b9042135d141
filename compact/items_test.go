package compact

import (
	"testing"

	"forge/provider"
)

// What stands in a user message without being asked for there is told apart and named,
// and has the ID it always had: sessions hold pins by it.
func TestItemsOfAUserMessage(t *testing.T) {
	attached := provider.Attached{Label: "AGENTS.md in src", Note: "Follow it.", Text: "be kind"}.Block()
	command := CommandMark + "\n<command>\ngo test ./...\n</command>\n<output>\nok\n</output>"
	list := (&Compactor{}).Items([]provider.Message{
		{Role: provider.User, Blocks: []provider.Block{provider.Text{Text: "mend it"}, attached}},
		provider.UserText(command),
		provider.UserText(NoteMark + " two files were taken back"),
	})
	want := []Item{
		{Kind: ItemPrompt, Name: "mend it", ID: wordsID(ItemPrompt, "mend it"+"mend it")},
		{Kind: ItemAttached, Name: "AGENTS.md in src", ID: wordsID(ItemPrompt, firstLine(attached.Text)+attached.Text)},
		{Kind: ItemCommand, Name: "go test ./...", ID: wordsID(ItemCommand, firstLine(command)+command)},
		{Kind: ItemNote, Name: "two files were taken back", ID: wordsID(ItemCommand, firstLine(NoteMark+" two files were taken back")+NoteMark+" two files were taken back")},
	}
	if len(list) != len(want) {
		t.Fatalf("%+v", list)
	}
	for i, it := range list {
		if it.Kind != want[i].Kind || it.Name != want[i].Name || it.ID != want[i].ID {
			t.Errorf("%s %q %s, not %s %q %s", it.Kind, it.Name, it.ID, want[i].Kind, want[i].Name, want[i].ID)
		}
	}
}
