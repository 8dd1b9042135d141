package keymap

// Groups is the table, in the order help shows it.
func Groups() []Group {
	return []Group{sending(), looking(), writing(), selecting(), completing(), reading(), paging(), finding(), choosing(),
		asking(), reviewing(), inquiring(), answering(), takingBack(), window(), servers(), server()}
}
