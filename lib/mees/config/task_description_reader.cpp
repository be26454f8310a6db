#include "mees/config/detail/description_check.hpp"
#include "mees/config/detail/description_fields.hpp"
#include "mees/config/detail/names.hpp"
#include "mees/config/detail/toml_value.hpp"
#include "mees/core/error.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace mees {
namespace {

constexpr std::size_t longest_description = 1 << 20;
constexpr std::size_t longest_list = 10'000;

/// Reads the members of one table, then refuses what is left in it.
class TableReader {
  public:
    TableReader(toml::table const& table, std::string where, std::string const& source)
        : table_{table}, where_{std::move(where)}, source_{source}
    {
    }

    template <class T>
    void required(char const* name, T& member)
    {
        if (table_.get(name) == nullptr) {
            refuse(table_, fmt::format("{}{} is missing", where_, name));
        }
        optional(name, member);
    }
    template <class T>
    void optional(char const* name, T& member)
    {
        known_.emplace_back(name);
        if (auto const* node = table_.get(name)) {
            read(*node, name, member);
        }
    }
    template <class T>
    void optional(char const* name, std::optional<T>& member)
    {
        known_.emplace_back(name);
        if (auto const* node = table_.get(name)) {
            read(*node, name, member.emplace());
        }
    }
    /// A number stands for a list of it.
    void optional_numbers(char const* name, std::vector<double>& member)
    {
        auto const* node = table_.get(name);
        if (node == nullptr || node->is_array()) {
            return optional(name, member);
        }
        known_.emplace_back(name);
        read(*node, name, member.emplace_back());
    }
    void table(char const* name, auto const& list)
    {
        if (table_.get(name) == nullptr) {
            refuse(table_, fmt::format("[{}] is missing", name));
        }
        optional_table(name, true, list);
    }
    void optional_table(char const* name, bool, auto const& list)
    {
        known_.emplace_back(name);
        auto const* node = table_.get(name);
        if (node == nullptr) {
            return;
        }
        if (!node->is_table()) {
            refuse(*node, fmt::format("{} must be a table", name));
        }
        TableReader inner{*node->as_table(), fmt::format("[{}] ", name), source_};
        list(inner);
        inner.finish();
    }
    template <class T>
    void tables(char const* name, std::vector<T>& records, auto const& list)
    {
        known_.emplace_back(name);
        auto const* node = table_.get(name);
        if (node == nullptr) {
            return;
        }
        for (auto const& entry : list_of(*node, name)) {
            if (!entry.is_table()) {
                refuse(entry, fmt::format("{} must be a list of tables", name));
            }
            TableReader inner{*entry.as_table(), fmt::format("[[{}]] ", name), source_};
            list(inner, records.emplace_back());
            inner.finish();
        }
    }
    void finish() const
    {
        for (auto const& [key, node] : table_) {
            auto const name = std::string{key.str()};
            if (std::ranges::find(known_, name) == known_.end()) {
                refuse(node, fmt::format("unknown key {}{}; known: {}", where_, printable(name),
                                         fmt::join(known_, ", ")));
            }
        }
    }

  private:
    [[noreturn]] void refuse(toml::node const& node, std::string const& why) const
    {
        throw FileError{fmt::format("cannot use the domain description of {}", source_),
                        fmt::format("line {}: {}", node.source().begin.line, why),
                        "See docs/domain-description.md."};
    }
    toml::array const& list_of(toml::node const& node, char const* name) const
    {
        auto const* array = node.as_array();
        if (array == nullptr || array->size() > longest_list) {
            refuse(node,
                   fmt::format("{} must be a list of at most {} entries", name, longest_list));
        }
        return *array;
    }
    void must_be(bool right, toml::node const& node, char const* name, char const* what) const
    {
        if (!right) {
            refuse(node, fmt::format("{}{} must be {}", where_, name, what));
        }
    }

    void read(toml::node const& node, char const* name, std::int64_t& value) const
    {
        must_be(node.is_integer(), node, name, "an integer");
        value = *node.value_exact<std::int64_t>();
    }
    void read(toml::node const& node, char const* name, double& value) const
    {
        must_be(node.is_number() && std::isfinite(*node.value<double>()), node, name,
                "a finite number");
        value = *node.value<double>();
    }
    void read(toml::node const& node, char const* name, bool& value) const
    {
        must_be(node.is_boolean(), node, name, "true or false");
        value = *node.value_exact<bool>();
    }
    void read(toml::node const& node, char const* name, std::string& value) const
    {
        must_be(node.is_string(), node, name, "a string");
        value = *node.value_exact<std::string>();
        bool const control = std::ranges::any_of(
            value, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
        must_be(!control && !value.empty(), node, name, "a string without control characters");
    }
    template <class Enum>
    requires std::is_enum_v<Enum>
    void read(toml::node const& node, char const* name, Enum& value) const
    {
        std::string text;
        read(node, name, text);
        auto const choice = choice_named<Enum>(text);
        if (!choice) {
            refuse(node, fmt::format("{}{} = {} must be one of {}", where_, name, printable(text),
                                     fmt::join(choice_names<Enum>, ", ")));
        }
        value = *choice;
    }
    template <class T>
    void read(toml::node const& node, char const* name, std::vector<T>& list) const
    {
        for (auto const& entry : list_of(node, name)) {
            read(entry, name, list.emplace_back());
        }
    }

    toml::table const& table_;
    std::string where_;
    std::string const& source_;
    std::vector<std::string> known_;
};

FileError unusable(std::string const& source, std::string const& why)
{
    return {fmt::format("cannot use the domain description of {}", source), why,
            "See docs/domain-description.md."};
}

toml::table parse(std::string_view toml, std::string const& source)
{
    if (toml.size() > longest_description) {
        throw unusable(source, fmt::format("it is longer than {} bytes", longest_description));
    }
    try {
        return toml::parse(toml);
    } catch (toml::parse_error const& error) {
        throw unusable(source, fmt::format("line {}: {}", error.source().begin.line,
                                           printable(error.description())));
    }
}

}  // namespace

TaskDescription parse_description(std::string_view toml, std::string const& source)
{
    auto const table = parse(toml, source);
    if (auto const version = table["version"].value_exact<std::int64_t>();
        version != TaskDescription::version) {
        throw unusable(source, fmt::format("its version is {}, this program reads {}",
                                           version ? fmt::format("{}", *version) : "missing",
                                           TaskDescription::version));
    }
    TaskDescription task;
    TableReader reader{table, "", source};
    auto version = TaskDescription::version;
    reader.required("version", version);
    description::task_fields(reader, task);
    reader.finish();
    if (auto const fault = description::fault_of(task); !fault.empty()) {
        throw unusable(source, fault);
    }
    return task;
}

}  // namespace mees
