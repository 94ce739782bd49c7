// Encoders of integers and texts, against a map.
#include <algorithm>
#include <limits>
#include <map>

#include "check.hpp"
#include "kernels/encode_integers.hpp"
#include "kernels/encode_text.hpp"

namespace karat_tests {
namespace {

using karat::Argument;
using karat::Kind;
using karat::TextTable;

void check_integers(const Labels& labels) {
    std::vector<int64_t> expected = labels.values;
    std::sort(expected.begin(), expected.end());
    expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
    Exact<int32_t> codes(labels.column().n);
    check_same(karat::encode_integers(labels.column(), codes.data()), expected, "distinct values");
    for (int64_t i = 0; i < codes.size(); ++i)
        check_same(expected[codes[i]], labels.values[i], "code of a value");
}

void test_integers(Random& random) {
    for (const int64_t width : {1, 50, 30000, 1 << 30})
        for (const int64_t n : {1, 17, 2049, 9000}) {
            std::vector<int64_t> values(n);
            for (int64_t& value : values) value = below(random, width) - width / 3;
            for (const int64_t stride : {1, -2}) check_integers({Kind::i64, stride, values});
            for (int64_t& value : values) value = below(random, 200) - 100;
            for (const int64_t stride : {1, 3}) check_integers({Kind::i8, stride, values});
        }
    const int64_t least = std::numeric_limits<int64_t>::min(),
                  most = std::numeric_limits<int64_t>::max();
    check_integers({Kind::i64, 1, {most, least, 0, most}});
    const Labels beyond(Kind::u64, 1, {1, 2, -1});
    check_rejected(
        [&] {
            Exact<int32_t> codes(3);
            karat::encode_integers(beyond.column(), codes.data());
        },
        "range", Argument::truth, 2);
}

std::string random_text(Random& random) {
    static constexpr int64_t kMost[] = {3, 8, 9, 16, 17, 40};
    std::string text(below(random, kMost[below(random, 6)] + 1), 'a');
    for (char& c : text) c = static_cast<char>('a' + below(random, 2));
    return text;
}

void check_texts(const TextTable& table, const Exact<int32_t>& codes,
                 const std::vector<std::string>& texts) {
    std::map<std::string, int32_t> seen;
    for (size_t i = 0; i < texts.size(); ++i) {
        const auto found = seen.emplace(texts[i], static_cast<int32_t>(seen.size())).first;
        check_same(codes[static_cast<int64_t>(i)], found->second, "code of a text");
    }
    check_same(table.size(), static_cast<int64_t>(seen.size()), "number of texts");
    for (const auto& [text, code] : seen) check_same(table.text(code), text, "text of a code");
}

void test_fixed_width(const std::vector<std::string>& texts, int64_t spread) {
    const int64_t n = static_cast<int64_t>(texts.size());
    int64_t width = 0;
    for (const std::string& text : texts)
        width = std::max<int64_t>(width, static_cast<int64_t>(text.size()));
    // Other rows lie between; nothing lies after the last.
    Exact<char> bytes(((n - 1) * spread + 1) * width);
    Exact<uint32_t> points(bytes.size());
    std::fill_n(bytes.data(), bytes.size(), '\0');
    for (int64_t i = 0; i < n; ++i)
        std::copy(texts[i].begin(), texts[i].end(), bytes.data() + i * spread * width);
    std::copy_n(bytes.data(), bytes.size(), points.data());
    Exact<int32_t> codes(n);
    TextTable of_bytes, of_points;
    karat::encode_bytes(of_bytes, bytes.data(), n, width, spread * width, codes.data());
    check_texts(of_bytes, codes, texts);
    const char* rows = reinterpret_cast<const char*>(points.data());
    karat::encode_ucs4(of_points, rows, n, width, 4 * spread * width, codes.data());
    check_texts(of_points, codes, texts);
}

template <class Offset>
void test_offsets(const std::vector<std::string>& texts) {
    std::string all;
    std::vector<Offset> offsets = {0};
    for (const std::string& text : texts) {
        all += text;
        offsets.push_back(static_cast<Offset>(all.size()));
    }
    const int64_t n = static_cast<int64_t>(texts.size()), n_data = static_cast<int64_t>(all.size());
    const Exact<char> data(std::vector<char>(all.begin(), all.end()));
    Exact<Offset> exact(offsets);
    Exact<int32_t> codes(n);
    TextTable table;
    karat::encode_utf8(table, exact.data(), n, data.data(), n_data, {}, codes.data());
    check_texts(table, codes, texts);
    exact[n] += 1;
    check_rejected(
        [&] { karat::encode_utf8(table, exact.data(), n, data.data(), n_data, {}, codes.data()); },
        "range", Argument::truth, n - 1);
}

void test_views(const std::vector<std::string>& texts) {
    const int64_t n = static_cast<int64_t>(texts.size());
    Exact<char> views(16 * n);
    std::string all;
    for (int64_t i = 0; i < n; ++i) {
        const std::string& text = texts[i];
        int32_t parts[4] = {static_cast<int32_t>(text.size()), 0, 0,
                            static_cast<int32_t>(all.size())};
        if (text.size() <= 12) {
            std::memcpy(parts + 1, text.data(), text.size());
        } else {
            std::memcpy(parts + 1, text.data(), 4);
            all += text;
        }
        std::memcpy(views.data() + 16 * i, parts, 16);
    }
    const Exact<char> data(std::vector<char>(all.begin(), all.end()));
    Exact<int32_t> codes(n);
    TextTable table;
    karat::encode_views(table, views.data(), n, {{data.data(), data.size()}}, {}, codes.data());
    // Bytes of a short view after its end are not part of it.
    std::vector<std::string> meant = texts;
    for (std::string& text : meant) text.resize(text.size());
    check_texts(table, codes, meant);
    for (int64_t i = 0; i < n; ++i) {
        if (texts[i].size() <= 12) continue;
        check_rejected(
            [&] {
                karat::encode_views(table, views.data(), n, {{data.data(), 12}}, {}, codes.data());
            },
            "range", Argument::truth, i);
        break;
    }
}

}  // namespace

void test_encoders(Random& random) {
    test_integers(random);
    for (const int64_t n : {1, 2, 17, 700, 3000}) {
        std::vector<std::string> texts(n);
        for (std::string& text : texts) text = random_text(random);
        for (const int64_t spread : {1, 2}) test_fixed_width(texts, spread);
        test_offsets<int32_t>(texts);
        test_offsets<int64_t>(texts);
        test_views(texts);
    }
}

}  // namespace karat_tests
