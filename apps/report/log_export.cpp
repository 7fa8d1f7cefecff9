#include "apps/report/log_export.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <utility>

#include "data/files/table.h"

namespace argand {
namespace {

using Json = nlohmann::ordered_json;

/// Calls f(name, number) for every number of a line except its step.
template <class F>
void visit_numbers(const Json& value, const std::string& name, const F& f) {
  if (value.is_number()) return f(name, value);
  if (!value.is_structured()) return;
  for (const auto& entry : value.items())
    if (!name.empty() || entry.key() != "step")
      visit_numbers(entry.value(), name.empty() ? entry.key() : name + "." + entry.key(), f);
}

/// CRC-32C (Castagnoli) as in RFC 3720, masked as in TFRecords.
std::uint32_t masked_checksum(std::string_view bytes) {
  std::uint32_t crc = ~0U;
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82F63B78U : 0U);
  }
  crc = ~crc;
  return ((crc >> 15) | (crc << 17)) + 0xA282EAD8U;
}

/// Appends an integer in little-endian order.
template <class T>
std::string bytes_of(T value) {
  static_assert(std::endian::native == std::endian::little);
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(0x80 | (value & 0x7F));
  return bytes + static_cast<char>(value);
}

/// A length-delimited Protocol Buffers field: a message or a string.
std::string field(int number, const std::string& bytes) {
  return varint(static_cast<std::uint64_t>(number << 3 | 2)) + varint(bytes.size()) + bytes;
}

std::string record(const std::string& event) {
  const std::string length = bytes_of(static_cast<std::uint64_t>(event.size()));
  return length + bytes_of(masked_checksum(length)) + event + bytes_of(masked_checksum(event));
}

constexpr char wall_time = 1 << 3 | 1, step = 2 << 3, simple_value = 2 << 3 | 5;

}  // namespace

std::string csv_of(const RunLog& log) {
  std::vector<std::string> names = {"step"};
  std::map<std::string, std::size_t> columns;
  for (const Json& line : log.lines)
    visit_numbers(line, "", [&](const std::string& name, const Json&) {
      if (columns.emplace(name, names.size()).second) names.push_back(name);
    });
  std::string text = table_line("export", names, ',');
  for (const Json& line : log.lines) {
    std::vector<std::string> fields(names.size());
    fields[0] = line["step"].dump();
    bool any = false;
    visit_numbers(line, "", [&](const std::string& name, const Json& number) {
      fields[columns.at(name)] = number.dump();
      any = true;
    });
    if (any) text += table_line("export", fields, ',');
  }
  return text;
}

std::string tensorboard_events_of(const RunLog& log) {
  double seconds = 0;
  std::int64_t before = 0;
  const auto at = [&] { return wall_time + bytes_of(seconds); };
  std::string text = record(at() + field(3, "brain.Event:2"));
  for (const Json& line : log.lines) {
    const auto last = line["step"].get<std::int64_t>();
    // A line covers all steps since the previous line; its `seconds` is the time of a single step.
    if (const auto own = line.find("seconds"); own != line.end() && own->is_number())
      seconds += static_cast<double>(last - std::exchange(before, last)) * own->get<double>();
    std::string summary;
    visit_numbers(line, "", [&](const std::string& name, const Json& number) {
      summary += field(1, field(1, name) + simple_value + bytes_of(static_cast<float>(number.get<double>())));
    });
    if (summary.empty()) continue;
    text += record(at() + step + varint(static_cast<std::uint64_t>(last)) + field(5, summary));
  }
  return text;
}

}  // namespace argand
