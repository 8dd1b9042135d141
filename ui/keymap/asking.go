package keymap

import "forge/ui/lang"

// What keys do in questions.
const (
	AskOnce     Action = "ask.once"
	AskSession  Action = "ask.session"
	AskRule     Action = "ask.rule"
	AskDeny     Action = "ask.deny"
	AskStop     Action = "ask.stop"
	AskInstead  Action = "ask.instead"
	AskNote     Action = "ask.note"
	AskUp       Action = "ask.up"
	AskDown     Action = "ask.down"
	AskPageUp   Action = "ask.page-up"
	AskPageDown Action = "ask.page-down"
	AskTop      Action = "ask.top"
	AskEnd      Action = "ask.end"
	AskRead     Action = "ask.read"

	NoteDone  Action = "note.done"
	NoteClose Action = "note.close"

	ReviewNext       Action = "review.next"
	ReviewBefore     Action = "review.before"
	ReviewNextFile   Action = "review.next-file"
	ReviewFileBefore Action = "review.file-before"
	ReviewDrop       Action = "review.drop"
	ReviewBreak      Action = "review.break"
	ReviewDropFile   Action = "review.drop-file"
	ReviewDropAll    Action = "review.drop-all"
	ReviewEdit       Action = "review.edit"
	ReviewEditor     Action = "review.editor"
	ReviewEditorFile Action = "review.editor-file"
	ReviewIDE        Action = "review.ide"
	ReviewRestore    Action = "review.restore"
	ReviewFiles      Action = "review.files"
	ReviewSplit      Action = "review.split"
	ReviewTakeNew    Action = "review.take-proposal"
	ReviewTakeOld    Action = "review.take-file"
	ReviewHelp       Action = "review.help"
	ReviewAlone      Action = "review.each-alone"
	ReviewAll        Action = "review.write-unseen"

	FilesUp    Action = "files.up"
	FilesDown  Action = "files.down"
	FilesDrop  Action = "files.drop"
	FilesClose Action = "files.close"

	HunkTake   Action = "hunk.take"
	HunkLeave  Action = "hunk.leave"
	HunkEditor Action = "hunk.editor"

	QuestionUp       Action = "question.up"
	QuestionDown     Action = "question.down"
	QuestionPageUp   Action = "question.page-up"
	QuestionPageDown Action = "question.page-down"
	QuestionTop      Action = "question.top"
	QuestionEnd      Action = "question.end"
	QuestionOpen     Action = "question.open"
	QuestionCopy     Action = "question.copy"
	QuestionClose    Action = "question.close"

	FormNext    Action = "form.next"
	FormField   Action = "form.field"
	FormBefore  Action = "form.field-before"
	FormDecline Action = "form.decline"
	FormClose   Action = "form.close"

	ChoiceLeft  Action = "choice.left"
	ChoiceRight Action = "choice.right"
	ChoiceTake  Action = "choice.take"
	ChoiceClear Action = "choice.clear"

	InquiryUp       Action = "inquiry.up"
	InquiryDown     Action = "inquiry.down"
	InquiryTake     Action = "inquiry.take"
	InquiryTick     Action = "inquiry.tick"
	InquiryNext     Action = "inquiry.next"
	InquiryBefore   Action = "inquiry.before"
	InquiryPageUp   Action = "inquiry.page-up"
	InquiryPageDown Action = "inquiry.page-down"
	InquiryClose    Action = "inquiry.close"

	TakebackDo       Action = "takeback.do"
	TakebackSure     Action = "takeback.sure"
	TakebackLess     Action = "takeback.less"
	TakebackDiff     Action = "takeback.diff"
	TakebackUp       Action = "takeback.up"
	TakebackDown     Action = "takeback.down"
	TakebackPageUp   Action = "takeback.page-up"
	TakebackPageDown Action = "takeback.page-down"
	TakebackTop      Action = "takeback.top"
	TakebackEnd      Action = "takeback.end"
	TakebackClose    Action = "takeback.close"
)

func asking() Group {
	return Group{Name: "asking", Title: lang.N("A question whether something may run"), Lines: []Binding{
		{AskOnce, keys("y", "Y", "1"), lang.N("allow once")},
		{AskSession, keys("s", "S", "2"), lang.N("allow for this session; what would be stored stands beside it")},
		{AskRule, keys("p", "P"), lang.N("allow always: stores the rule that stands beside it, where one is offered")},
		{AskDeny, keys("n", "N", "3"), lang.N("deny")},
		{AskInstead, keys("tab"), lang.N("deny, and write what the model is to do instead")},
		{AskNote, keys("c"), lang.N("a comment to the model, which goes along with your yes or your no")},
		{AskStop, keys("esc"), lang.N("deny and stop the run")},
		{AskUp, keys("up", "k"), lang.N("one row up")},
		{AskDown, keys("down", "j"), lang.N("one row down")},
		{AskPageUp, keys("pgup", "b", "ctrl+u"), lang.N("a page up")},
		{AskPageDown, keys("pgdown", "f", "ctrl+d", "space"), lang.N("a page down; the end must have been shown before you can allow")},
		{AskTop, keys("home", "g"), lang.N("the first row")},
		{AskEnd, keys("end", "G"), lang.N("the last row")},
		{AskRead, keys("ctrl+o"), lang.N("what was said before it, whole; the question waits")},
		{NoteDone, keys("enter"), lang.N("comment: keep it; why not: deny with it")},
		{NoteClose, keys("esc"), lang.N("comment: leave it")},
	}}
}

func reviewing() Group {
	return Group{Name: "reviewing", Title: lang.N("The diff in such a question"), Lines: []Binding{
		{ReviewDrop, keys("x", "space"), lang.N("drop or keep the marked hunk")},
		{ReviewBreak, keys("|"), lang.N("break the hunk into the changes in it")},
		{ReviewDropFile, keys("X"), lang.N("drop or keep all of the file")},
		{ReviewDropAll, keys("a"), lang.N("keep all or none")},
		{ReviewBefore, keys("left", "["), lang.N("the hunk before")},
		{ReviewNext, keys("right", "]"), lang.N("the next hunk")},
		{ReviewFileBefore, keys("{", "shift+left", "ctrl+left"), lang.N("the file before")},
		{ReviewNextFile, keys("}", "shift+right", "ctrl+right"), lang.N("the next file")},
		{ReviewEdit, keys("e"), lang.N("edit what the hunk leaves, here")},
		{ReviewEditor, keys("o"), lang.N("the same in $VISUAL or $EDITOR")},
		{ReviewEditorFile, keys("O", "ctrl+g"), lang.N("the whole file, as it would be written now, in your editor")},
		{ReviewIDE, keys("d"), lang.N("the whole file in the diff of the editor that /ide connected")},
		{ReviewRestore, keys("u"), lang.N("the file as it was proposed")},
		{ReviewTakeNew, keys("<"), lang.N("a conflict: take the proposal's version")},
		{ReviewTakeOld, keys(">"), lang.N("a conflict: take the one in the file now")},
		{ReviewSplit, keys("v"), lang.N("side by side or one column")},
		{ReviewFiles, keys("l"), lang.N("list of the files with what becomes of each, and back")},
		{ReviewAll, keys("W"), lang.N("write what is kept, though not all of it was shown")},
		{ReviewAlone, keys("i"), lang.N("several changes: ask about each by itself")},
		{ReviewHelp, keys("?"), lang.N("all of these keys")},
		{FilesUp, keys("up", "k", "left", "["), lang.N("files: the one before")},
		{FilesDown, keys("down", "j", "right", "]"), lang.N("files: the next")},
		{FilesDrop, keys("x", "space"), lang.N("files: drop or keep it")},
		{FilesClose, keys("enter", "esc"), lang.N("files: go there")},
		{HunkTake, keys("ctrl+s"), lang.N("editing: take it")},
		{HunkLeave, keys("esc"), lang.N("editing: leave it")},
		{HunkEditor, keys("ctrl+g"), lang.N("editing: go on in your editor")},
	}}
}

func answering() Group {
	return Group{Name: "answering", Title: lang.N("Any other question"), Lines: []Binding{
		{QuestionUp, keys("up", "k"), lang.N("one row up")},
		{QuestionDown, keys("down", "j"), lang.N("one row down")},
		{QuestionPageUp, keys("pgup"), lang.N("a page up")},
		{QuestionPageDown, keys("pgdown", "space"), lang.N("a page down")},
		{QuestionTop, keys("home"), lang.N("the first row")},
		{QuestionEnd, keys("end"), lang.N("the last row")},
		{QuestionOpen, keys("o", "O"), lang.N("a page: open it in the browser")},
		{QuestionCopy, keys("c", "C"), lang.N("a page: copy the address")},
		{QuestionClose, keys("esc"), lang.N("close the question")},
		{FormNext, keys("enter"), lang.N("the next field; from the last one, send")},
		{FormField, keys("tab", "down"), lang.N("the field after")},
		{FormBefore, keys("shift+tab", "up"), lang.N("the field before")},
		{FormDecline, keys("ctrl+d"), lang.N("a form: decline")},
		{FormClose, keys("esc"), lang.N("a form: cancel")},
		{ChoiceLeft, keys("left"), lang.N("a field of choices: the one before")},
		{ChoiceRight, keys("right"), lang.N("a field of choices: the next; a letter goes to it too")},
		{ChoiceTake, keys("space"), lang.N("a field of choices: take it or not, where several may be taken")},
		{ChoiceClear, keys("backspace", "delete"), lang.N("a field of choices: take none")},
	}}
}

func inquiring() Group {
	return Group{Name: "inquiring", Title: lang.N("What the model wants to know"), Lines: []Binding{
		{InquiryUp, keys("up"), lang.N("the answer above")},
		{InquiryDown, keys("down"), lang.N("the answer below")},
		{InquiryTake, keys("enter"), lang.N("take it and go on: to the next question, or send")},
		{InquiryTick, keys("space"), lang.N("mark it, or not, and stay here")},
		{"", keys("1-9"), lang.N("take the answer with that number; where several may be taken, mark it")},
		{InquiryNext, keys("right", "tab"), lang.N("the next question; behind the last, what would be sent")},
		{InquiryBefore, keys("left", "shift+tab"), lang.N("the question before")},
		{InquiryPageUp, keys("pgup"), lang.N("a page up")},
		{InquiryPageDown, keys("pgdown"), lang.N("a page down")},
		{InquiryClose, keys("esc"), lang.N("answer nothing; the model is told so and goes on")},
		{"", keys("{note.done}"), lang.N("your own words: they are the answer")},
		{"", keys("{note.close}"), lang.N("your own words: back to the answers")},
	}}
}

func takingBack() Group {
	return Group{Name: "takingback", Title: lang.N("What undo would do"), Lines: []Binding{
		{TakebackDo, keys("enter"), lang.N("do it, if no file would be left as it is")},
		{TakebackSure, keys("y"), lang.N("do it with the rest")},
		{TakebackLess, keys("t"), lang.N("only the last step")},
		{TakebackDiff, keys("d", "ctrl+o"), lang.N("show the diffs")},
		{TakebackUp, keys("up", "k", "ctrl+p"), lang.N("one row up")},
		{TakebackDown, keys("down", "j", "ctrl+n"), lang.N("one row down")},
		{TakebackPageUp, keys("pgup"), lang.N("a page up")},
		{TakebackPageDown, keys("pgdown", "space"), lang.N("a page down")},
		{TakebackTop, keys("home"), lang.N("the first row")},
		{TakebackEnd, keys("end"), lang.N("the last row")},
		{TakebackClose, keys("esc", "n", "q", "ctrl+c"), lang.N("leave everything as it is")},
	}}
}
