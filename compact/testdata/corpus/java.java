package org.example.library;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.stream.Collectors;

/**
 * Lends books to members and remembers who has what.
 *
 * <p>All methods may be called from several threads. A loan is never silently extended; whoever wants
 * to keep a book calls {@link #renew(String, String)} before it is due.
 */
public final class LendingDesk {
  private static final Duration LOAN = Duration.ofDays(28);
  private static final int MAX_LOANS_PER_MEMBER = 5;

  private final Map<String, Book> catalogue = new ConcurrentHashMap<>();
  private final Map<String, List<Loan>> loans = new HashMap<>();
  private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
  private final Clock clock;

  public interface Clock {
    Instant now();
  }

  public record Book(String isbn, String title, List<String> authors) {
    public Book {
      Objects.requireNonNull(isbn, "isbn");
      authors = List.copyOf(authors);
    }
  }

  public record Loan(Book book, String member, Instant due) {
    boolean isOverdue(Instant now) {
      return now.isAfter(due);
    }
  }

  public static class LendingException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    LendingException(String message) {
      super(message);
    }
  }

  public LendingDesk(Clock clock) {
    this.clock = Objects.requireNonNull(clock);
  }

  public void addBook(Book book) {
    if (catalogue.putIfAbsent(book.isbn(), book) != null) {
      throw new LendingException("The book " + book.isbn() + " is in the catalogue already");
    }
  }

  public Loan lend(String isbn, String member) {
    Book book = Optional.ofNullable(catalogue.get(isbn))
        .orElseThrow(() -> new LendingException("Unknown book: " + isbn));
    lock.writeLock().lock();
    try {
      List<Loan> mine = loans.computeIfAbsent(member, key -> new ArrayList<>());
      if (mine.size() >= MAX_LOANS_PER_MEMBER) {
        throw new LendingException(String.format("%s has %d books; bring one back first", member, mine.size()));
      }
      for (Loan loan : mine) {
        if (loan.isOverdue(clock.now())) {
          throw new LendingException(member + " has an overdue book: " + loan.book().title());
        }
      }
      Loan loan = new Loan(book, member, clock.now().plus(LOAN));
      mine.add(loan);
      return loan;
    } finally {
      lock.writeLock().unlock();
    }
  }

  public List<Loan> overdue() {
    lock.readLock().lock();
    try {
      Instant now = clock.now();
      return loans.values().stream()
          .flatMap(List::stream)
          .filter(loan -> loan.isOverdue(now))
          .sorted((a, b) -> a.due().compareTo(b.due()))
          .collect(Collectors.collectingAndThen(Collectors.toList(), Collections::unmodifiableList));
    } finally {
      lock.readLock().unlock();
    }
  }
}
