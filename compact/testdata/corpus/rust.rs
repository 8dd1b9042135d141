use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::io::{self, BufRead, Write};

/// A position in the text, counted from one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    pub line: usize,
    pub column: usize,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Token {
    Number(f64),
    Name(String),
    Operator(char),
    Open,
    Close,
    End,
}

#[derive(Debug)]
pub enum CalcError {
    Unexpected { token: Token, at: Position },
    UnknownName(String),
    DivisionByZero,
    Io(io::Error),
}

impl fmt::Display for CalcError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CalcError::Unexpected { token, at } => {
                write!(f, "{}:{}: unexpected {:?}", at.line, at.column, token)
            }
            CalcError::UnknownName(name) => write!(f, "nobody has set `{name}`"),
            CalcError::DivisionByZero => f.write_str("division by zero"),
            CalcError::Io(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for CalcError {}

impl From<io::Error> for CalcError {
    fn from(error: io::Error) -> Self {
        CalcError::Io(error)
    }
}

pub struct Lexer<'a> {
    rest: std::iter::Peekable<std::str::CharIndices<'a>>,
    text: &'a str,
    line: usize,
}

impl<'a> Lexer<'a> {
    pub fn new(text: &'a str, line: usize) -> Self {
        Lexer { rest: text.char_indices().peekable(), text, line }
    }

    fn take_while<F: Fn(char) -> bool>(&mut self, start: usize, keep: F) -> &'a str {
        let mut end = start;
        while let Some(&(i, c)) = self.rest.peek() {
            if !keep(c) {
                break;
            }
            end = i + c.len_utf8();
            self.rest.next();
        }
        &self.text[start..end]
    }

    pub fn tokens(&mut self) -> Result<VecDeque<(Token, Position)>, CalcError> {
        let mut out = VecDeque::new();
        while let Some(&(start, c)) = self.rest.peek() {
            let at = Position { line: self.line, column: start + 1 };
            let token = match c {
                ' ' | '\t' => {
                    self.rest.next();
                    continue;
                }
                '0'..='9' => {
                    let digits = self.take_while(start, |c| c.is_ascii_digit() || c == '.');
                    Token::Number(digits.parse().unwrap_or(f64::NAN))
                }
                'a'..='z' | 'A'..='Z' | '_' => {
                    Token::Name(self.take_while(start, |c| c.is_alphanumeric() || c == '_').to_string())
                }
                '(' | ')' => {
                    self.rest.next();
                    if c == '(' { Token::Open } else { Token::Close }
                }
                other => {
                    self.rest.next();
                    Token::Operator(other)
                }
            };
            out.push_back((token, at));
        }
        out.push_back((Token::End, Position { line: self.line, column: self.text.len() + 1 }));
        Ok(out)
    }
}

fn main() -> Result<(), CalcError> {
    let mut names: BTreeMap<String, f64> = BTreeMap::new();
    names.insert("pi".into(), std::f64::consts::PI);
    let stdin = io::stdin();
    for (number, line) in stdin.lock().lines().enumerate() {
        let line = line?;
        let tokens = Lexer::new(&line, number + 1).tokens()?;
        writeln!(io::stdout(), "{} tokens, first {:?}", tokens.len(), tokens.front())?;
    }
    Ok(())
}
