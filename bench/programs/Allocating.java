// SPDX-License-Identifier: Apache-2.0
// Allocates arrays of all sizes below many different callers: each is an event of a flight recording.
// Usage: Allocating EVENTS
public class Allocating {
  static Object last;

  static void walk(long path, int depth) {
    switch ((int) (path & 3)) {
      case 0 -> north(path >> 2, depth - 1);
      case 1 -> south(path >> 2, depth - 1);
      case 2 -> east(path >> 2, depth - 1);
      default -> west(path >> 2, depth - 1);
    }
  }
  static void north(long path, int depth) { if (depth > 0) walk(path, depth); else last = new byte[20_000]; }
  static void south(long path, int depth) { if (depth > 0) walk(path, depth); else last = new int[4_000]; }
  static void east(long path, int depth) { if (depth > 0) walk(path, depth); else last = new long[3_000]; }
  static void west(long path, int depth) { if (depth > 0) walk(path, depth); else last = new char[9_000]; }

  public static void main(String[] words) {
    long events = Long.parseLong(words[0]);
    for (long i = 0; i < events; i++) walk(i * 0x9E3779B97F4A7C15L >>> 20, 5 + (int) (i % 5));
  }
}
