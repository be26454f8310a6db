#include "mees/config/detail/description_fields.hpp"
#include "mees/config/schema.hpp"

#include <fmt/format.h>

namespace mees {
namespace {

template <class T>
Value value_of(T const& member)
{
    return detail::Held<T>::value(member);
}

/// Writes members that differ from `defaults`, a record that no member was set of.
class TableWriter {
  public:
    explicit TableWriter(std::string& text) : text_{text} {}

    template <class T>
    void required(char const* name, T const& member)
    {
        text_ += fmt::format("{} = {}\n", name, to_toml(value_of(member)));
    }
    template <class T>
    void optional(char const* name, T const& member)
    {
        if (member != T{}) {
            required(name, member);
        }
    }
    /// The only number that is optional without std::optional is a weight.
    void optional(char const* name, double member)
    {
        if (member != 1) {
            required(name, member);
        }
    }
    template <class T>
    void optional(char const* name, std::optional<T> const& member)
    {
        if (member) {
            required(name, *member);
        }
    }
    void optional_numbers(char const* name, std::vector<double> const& member)
    {
        if (member.size() == 1) {
            required(name, member.front());
        } else {
            optional(name, member);
        }
    }
    void table(char const* name, auto const& list) { optional_table(name, true, list); }
    void optional_table(char const* name, bool present, auto const& list)
    {
        if (present) {
            text_ += fmt::format("\n[{}]\n", name);
            list(*this);
        }
    }
    template <class T>
    void tables(char const* name, std::vector<T> const& records, auto const& list)
    {
        for (auto const& record : records) {
            text_ += fmt::format("\n[[{}]]\n", name);
            list(*this, record);
        }
    }

  private:
    std::string& text_;
};

}  // namespace

std::string to_toml(TaskDescription const& description)
{
    std::string text;
    TableWriter writer{text};
    writer.required("version", TaskDescription::version);
    description::task_fields(writer, description);
    return text;
}

}  // namespace mees
