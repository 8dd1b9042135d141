package ui

import (
	"forge/ui/composer"
	"forge/ui/emoji"
	"forge/ui/lang"
)

// emojiSetting is the setting that leaves emoji out.
const emojiSetting = "editor.emoji"

// offeredEmoji is how many are offered for what was written of a name.
const offeredEmoji = 24

// emojiNames is where the prompt looks emoji up; nil where they are not wanted.
func emojiNames(wanted bool) *composer.Emoji {
	if !wanted {
		return nil
	}
	return &composer.Emoji{Named: emoji.Named, Find: func(query string) (found []composer.Found) {
		for _, e := range emoji.Find(query, offeredEmoji) {
			about := ":" + e.Name + ":"
			if lang.Tag() == "zh" {
				about += " " + e.Chinese
			}
			found = append(found, composer.Found{Text: e.Sign, About: about})
		}
		return found
	}}
}
