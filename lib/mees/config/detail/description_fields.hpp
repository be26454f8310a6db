#pragma once

// The members of a TaskDescription under their names in TOML, listed once for reading and writing.
// `fields` has required(name, member), optional(name, member), table(name, list) and
// tables(name, list of records, list); records are const to write them.

#include "mees/config/task_description.hpp"

namespace mees::description {

void quantity_fields(auto& fields, auto& quantity)
{
    fields.required("source", quantity.source);
    fields.optional("body", quantity.body);
    fields.optional("site", quantity.site);
    fields.optional("geoms", quantity.geoms);
    fields.optional("with", quantity.with);
    fields.optional("first", quantity.first);
    fields.optional("count", quantity.count);
    fields.optional("index", quantity.index);
    fields.optional_numbers("offset", quantity.offset);
    fields.optional("scale", quantity.scale);
    fields.optional("clip", quantity.clip);
}

void measure_fields(auto& fields, auto& measure)
{
    fields.required("kind", measure.kind);
    if (measure.kind == MeasureKind::constant) {
        return;
    }
    quantity_fields(fields, measure.quantity);
    fields.optional("target", measure.target);
    fields.optional("seconds", measure.seconds);
    fields.optional("point", measure.point);
    fields.optional("target_site", measure.target_site);
}

void reward_fields(auto& fields, auto& reward)
{
    fields.required("name", reward.name);
    measure_fields(fields, reward.measure);
    fields.optional("weight", reward.weight);
    fields.optional("lower", reward.lower);
    fields.optional("upper", reward.upper);
}

void end_fields(auto& fields, auto& end)
{
    measure_fields(fields, end.measure);
    fields.optional("lower", end.lower);
    fields.optional("upper", end.upper);
}

void behaviour_fields(auto& fields, auto& bc)
{
    fields.required("kind", bc.kind);
    quantity_fields(fields, bc.quantity);
    fields.required("names", bc.names);
    fields.required("lower", bc.lower);
    fields.required("upper", bc.upper);
    fields.required("bins", bc.bins);
}

void task_fields(auto& fields, auto& task)
{
    fields.required("name", task.name);
    fields.required("frame_skip", task.frame_skip);
    fields.required("episode_steps", task.episode_steps);
    fields.optional("integrator", task.integrator);
    fields.optional("contact_forces", task.contact_forces);
    fields.required("fitness", task.fitness);
    fields.optional("damage", task.damage);
    fields.table("start", [&](auto& start) {
        start.optional("keyframe", task.keyframe);
        start.required("noise", task.noise);
        start.required("velocity", task.velocity_noise);
    });
    fields.optional_table("action", !task.action_offset.empty(), [&](auto& action) {
        action.required("offset", task.action_offset);
        action.required("scale", task.action_scale);
    });
    fields.tables("observation", task.observation,
                  [](auto& part, auto& quantity) { quantity_fields(part, quantity); });
    fields.tables("reward", task.reward,
                  [](auto& part, auto& reward) { reward_fields(part, reward); });
    fields.tables("end", task.end, [](auto& part, auto& end) { end_fields(part, end); });
    fields.tables("bc", task.bc, [](auto& part, auto& bc) { behaviour_fields(part, bc); });
    fields.optional_table("damage_words", task.damage_words != DamageWords{}, [&](auto& words) {
        words.required("motors", task.damage_words.motors);
        words.required("lock", task.damage_words.lock);
        words.required("shorten", task.damage_words.shorten);
        words.required("mass", task.damage_words.mass);
    });
}

}  // namespace mees::description
