#include "mees/cluster/detail/messages.hpp"

#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>
#include <boost/serialization/string.hpp>

#include <sstream>

namespace boost::serialization {

template <class Archive>
void serialize(Archive& archive, mees::RankInfo& info, unsigned)
{
    archive& info.rank& info.host& info.processor& info.kernel& info.process& info.leads_node& info
        .node_size;
}

template <class Archive>
void serialize(Archive& archive, mees::Failure& failure, unsigned)
{
    archive& failure.rank& failure.host& failure.where& failure.text;
}

}  // namespace boost::serialization

namespace mees {
namespace {

template <class Message>
std::string to_bytes(Message const& message)
{
    std::ostringstream stream;
    boost::archive::binary_oarchive archive{stream};
    archive << message;
    return stream.str();
}

template <class Message>
void from_bytes(std::string const& bytes, Message& message)
{
    std::istringstream stream{bytes};
    boost::archive::binary_iarchive archive{stream};
    archive >> message;
}

}  // namespace

std::string encode(RankInfo const& info)
{
    return to_bytes(info);
}

std::string encode(Failure const& failure)
{
    return to_bytes(failure);
}

void decode(std::string const& bytes, RankInfo& info)
{
    from_bytes(bytes, info);
}

void decode(std::string const& bytes, Failure& failure)
{
    from_bytes(bytes, failure);
}

}  // namespace mees
