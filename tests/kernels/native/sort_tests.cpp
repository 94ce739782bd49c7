// The sort of words, against std::sort: sizes about every threshold, words of all kinds, threads,
// an end at every step.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>
#include <vector>

#include "check.hpp"
#include "kernels/score_keys.hpp"
#include "kernels/sort_short.hpp"
#include "kernels/sort_words.hpp"

namespace {

std::atomic<bool> is_memory_short{false};

}  // namespace

// Of lines of the cache, such as a sort asks for.
void* operator new(std::size_t bytes, std::align_val_t line) {
    const std::size_t unit = static_cast<std::size_t>(line);
    void* memory = is_memory_short ? nullptr : std::aligned_alloc(unit, (bytes / unit + 1) * unit);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace karat_tests {
namespace {

constexpr int kKinds = 14;

// Word i of n.
template <class Word>
Word word_of(Random& random, int kind, int64_t i, int64_t n) {
    constexpr int bits = 8 * sizeof(Word);
    const Word any = static_cast<Word>(random() >> (64 - bits));
    switch (kind) {
        case 0: return any;
        case 1: return any % 7;
        case 2: return any & Word{1} << (bits - 1);
        case 3: return any & (Word{1} << (bits - 1) | 1);
        case 4: return static_cast<Word>(i);
        case 5: return static_cast<Word>(n - i);
        case 6: return static_cast<Word>(i % 97 == 0 ? any : Word(i));
        case 7: return static_cast<Word>(below(random, 20) == 0 ? any : any % 1000);
        case 8: return any >> (any % bits);  // every size of number
        case 9: return static_cast<Word>((any % 40) * 0x01010101u) << 3 | Word(any >> 9 & 1);
        case 10: return Word{7};
        // Many agree in both first digits and differ further down.
        case 11: return static_cast<Word>((any % 50) << (bits - 8) | (any >> 8) % 200);
        case 12: return static_cast<Word>(i < n / 2 ? i : i - n / 2);
        default: return static_cast<Word>(i % 2 == 0 ? Word{0} : ~Word{0});
    }
}

template <class Word>
std::vector<Word> words_of(Random& random, int kind, int64_t n) {
    std::vector<Word> words;
    for (int64_t i = 0; i < n; ++i) words.push_back(word_of<Word>(random, kind, i, n));
    return words;
}

// As many bits as the largest of sorted words has.
template <class Word>
int bits_of_all(const std::vector<Word>& sorted) {
    return sorted.empty() ? 0 : karat::bits_of(sorted.back());
}

template <class Word>
void test_size(Random& random, int64_t n, int kind, int n_threads) {
    std::vector<Word> wanted = words_of<Word>(random, kind, n);
    Exact<Word> words(wanted);
    std::sort(wanted.begin(), wanted.end());
    karat::sort_words(words.data(), n, bits_of_all(wanted), n_threads, nullptr);
    check_same(std::equal(wanted.begin(), wanted.end(), words.data()), true,
               "sorted words of kind " + std::to_string(kind) + ", " + std::to_string(n));
}

// The bits that may vary are more than do, and the words go to another place.
template <class Word>
void test_short(Random& random, int64_t n, int kind) {
    std::vector<Word> wanted = words_of<Word>(random, kind, n);
    const Exact<Word> words(wanted);
    Exact<Word> sorted(n), room(n);
    std::sort(wanted.begin(), wanted.end());
    for (const Word varying : {karat::varying_bits(words.data(), n), static_cast<Word>(~Word{0})}) {
        karat::sort_short(words.data(), sorted.data(), room.data(), n, varying);
        check_same(std::equal(wanted.begin(), wanted.end(), sorted.data()), true, "a short sort");
    }
}

int64_t polls_left = 0;
bool count_polls() { return polls_left-- > 0; }

// Ended after any number of steps the words are all there, and can be sorted.
template <class Word>
void test_interrupted(Random& random, int kind, int n_threads) {
    const int64_t n = 300000;
    const std::vector<Word> words = words_of<Word>(random, kind, n);
    std::vector<Word> wanted = words;
    std::sort(wanted.begin(), wanted.end());
    bool is_ended = true;
    for (int64_t n_polls = 0; is_ended; n_polls = 2 * n_polls + 1) {
        Exact<Word> sorted(words);
        polls_left = n_polls;
        try {
            karat::sort_words(sorted.data(), n, bits_of_all(wanted), n_threads, count_polls);
            is_ended = false;
        } catch (const karat::Interrupted&) {
            std::vector<Word> left(sorted.data(), sorted.data() + n);
            std::sort(left.begin(), left.end());
            check_same(left == wanted, true, "words of a sort that was ended");
            karat::sort_words(sorted.data(), n, 8 * sizeof(Word), n_threads, nullptr);
        }
        check_same(std::equal(wanted.begin(), wanted.end(), sorted.data()), true,
                   "a sort after one that was ended");
    }
}

// More words than a thread keeps memory for.
template <class Word>
void test_short_memory(Random& random) {
    is_memory_short = true;
    test_size<Word>(random, (int64_t{9} << 20) / static_cast<int64_t>(sizeof(Word)), 0, 2);
    is_memory_short = false;
}

template <class Word>
void test_word(Random& random) {
    for (int kind = 0; kind < kKinds; ++kind) {
        for (const int64_t n : {0, 1, 2, 3, 31, 32, 33, 34, 255, 256, 257, 1000, 4095, 4096, 4097,
                                5000, 32768, 32769, 99999})
            test_size<Word>(random, n, kind, 1);
        for (const int n_threads : {1, 2, 3})
            for (const int64_t n : {100000, 131071, 600001})
                test_size<Word>(random, n, kind, n_threads);
        for (const int64_t n : {1, 33, 300, 2500}) test_short<Word>(random, n, kind);
    }
    // As many slices as there may be, and digits of which one has half of the words.
    for (const int n_threads : {1, 2}) test_size<Word>(random, 2500000, 0, n_threads);
    for (const int n_threads : {1, 2}) test_size<Word>(random, 2500000, 7, n_threads);
    test_short_memory<Word>(random);
    for (const int kind : {0, 3, 7, 8, 11})
        for (const int n_threads : {1, 2, 3}) test_interrupted<Word>(random, kind, n_threads);
}

}  // namespace

void test_sorts(Random& random) {
    test_word<uint32_t>(random);
    test_word<uint64_t>(random);
}

}  // namespace karat_tests
